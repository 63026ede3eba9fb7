import { Copy, Download } from 'lucide-react';
import { useRef } from 'react';
import { saveFile } from '#app/lib/browser/save-file.ts';
import { copyText } from '#app/lib/sharing/share.ts';
import { showToast } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';

type Props = { codes: readonly string[]; username: string; onClose(): void };

const FILE_NAME = 'this-or-that-recovery-codes.txt';

/** Shows new recovery codes, which cannot be shown again. Esc does not close it, but focuses the button that does. */
export function RecoveryCodesDialog({ codes, username, onClose }: Props) {
  const doneButton = useRef<HTMLButtonElement>(null);
  return (
    <SheetDialog title="Ten recovery codes" onClose={() => doneButton.current?.focus()}>
      <p className="pb-2 text-body text-muted">
        Each one logs you in once, after your password, if your passkey is lost. They are shown only once.
      </p>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-2 pb-2">
        {codes.map((code) => (
          <li
            key={code}
            className="figures rounded-control bg-base-300 px-2 py-2 text-center font-bold text-field tracking-wide"
          >
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 *:flex-1">
        <SecondaryButton
          className="min-h-12"
          onClick={() =>
            void copyText(codes.join('\n'), () =>
              showToast('success', 'Codes copied', null, { topic: 'copy' }),
            )
          }
        >
          <Icon icon={Copy} /> Copy
        </SecondaryButton>
        <SecondaryButton className="min-h-12 whitespace-nowrap" onClick={() => saveCodes(codes, username)}>
          <Icon icon={Download} /> Save file
        </SecondaryButton>
      </div>
      <PrimaryButton ref={doneButton} onClick={onClose}>
        I have saved them
      </PrimaryButton>
    </SheetDialog>
  );
}

function saveCodes(codes: readonly string[], username: string): void {
  const lines = [`This or That? Recovery codes of ${username}. Each works once.`, '', ...codes, ''];
  saveFile(new Blob([lines.join('\n')], { type: 'text/plain' }), FILE_NAME);
}
