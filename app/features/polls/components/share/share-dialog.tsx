import { Check, Copy, Download, Maximize2, Share2, X } from 'lucide-react';
import { useId, useState } from 'react';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { useWakeLock } from '#app/features/polls/hooks/use-wake-lock.ts';
import { qrCodeSvg } from '#app/features/polls/lib/qr-code.ts';
import { savePng } from '#app/features/polls/lib/save-png.ts';
import { copyText, shareLink, withoutScheme } from '#app/lib/sharing/share.ts';
import { useCopied } from '#app/lib/sharing/use-copied.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { paths } from '#app/paths.ts';
import { IconButton, PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { Modal, SheetDialog } from '#app/ui/modal.tsx';
import { Wordmark } from '#app/ui/wordmark.tsx';
import type { Poll } from '#shared/polls/schema.ts';
import { QrCode } from './qr-code.tsx';

/** A longer question has a smaller font above the large QR code, and one line more. */
const LARGE_FONT_MAX_CHARACTERS = 60;

type Props = { poll: Poll; onClose(): void };

/** The share link of a poll: to send, to copy, and as a QR code for a table or a slide. */
export default function ShareDialog({ poll, onClose }: Props) {
  const [isLarge, setLarge] = useState(false);
  const hasShareSheet = typeof navigator.share === 'function';
  // A server or poll older than share links has none: the address of the poll then works for users who are logged in.
  const url = poll.shareUrl ?? new URL(paths.poll.href(poll.id), location.href).href;
  if (isLarge) return <FullScreenQrCode poll={poll} url={url} onClose={() => setLarge(false)} />;
  return (
    <SheetDialog title="Share this poll" onClose={onClose} hasCloseButton>
      <div className="grid gap-3">
        <div className="flex items-center gap-3">
          <div className="w-[6.25rem] shrink-0">
            <PollThumbnail poll={poll} />
          </div>
          <p dir="auto" className="wrap-anywhere line-clamp-2 min-w-0 font-bold text-body">
            {poll.question}
          </p>
        </div>
        {/* The padding is as wide as four modules of the code. */}
        <div className="mx-auto rounded-image bg-white p-5">
          <QrCode url={url} className="size-46" />
        </div>
        <p className="text-center text-muted text-small">Scan to vote: for a table, a slide, a poster</p>
        <LinkField url={url} hasCopyButton={hasShareSheet} />
        <PrimaryButton data-first-focus="" onClick={() => void shareLink({ title: poll.question, url })}>
          <Icon icon={hasShareSheet ? Share2 : Copy} /> {hasShareSheet ? 'Send link' : 'Copy link'}
        </PrimaryButton>
        <div className="grid grid-cols-2 gap-2">
          <SecondaryButton onClick={() => setLarge(true)}>
            <Icon icon={Maximize2} /> Show large
          </SecondaryButton>
          <SecondaryButton onClick={() => void saveQrCode(poll, url)}>
            <Icon icon={Download} /> Save code
          </SecondaryButton>
        </div>
      </div>
    </SheetDialog>
  );
}

async function saveQrCode(poll: Poll, url: string): Promise<void> {
  dismissTopic('copy');
  try {
    await savePng(qrCodeSvg(url), `this-or-that-${poll.id.slice(-6)}.png`);
  } catch {
    showToast('error', 'The QR code was not saved', null, { topic: 'copy' });
  }
}

function LinkField({ url, hasCopyButton }: { url: string; hasCopyButton: boolean }) {
  const id = useId();
  const [isCopied, onCopied] = useCopied();
  return (
    <div className="flex items-center gap-1 rounded-control bg-base-200 pl-3.5">
      <label htmlFor={id} className="sr-only">
        Link
      </label>
      <input
        id={id}
        readOnly
        value={withoutScheme(url)}
        onFocus={(event) => event.currentTarget.select()}
        className="min-h-12 min-w-0 flex-1 truncate bg-transparent text-body outline-base-content"
      />
      {hasCopyButton && (
        <IconButton
          icon={isCopied ? Check : Copy}
          label={isCopied ? 'Copied' : 'Copy'}
          onClick={() => void copyText(url, onCopied)}
        />
      )}
    </div>
  );
}

/** The QR code in full screen, white in both themes, for other phones to scan; keeps the screen on. */
function FullScreenQrCode({ poll, url, onClose }: Props & { url: string }) {
  const id = useId();
  useWakeLock();
  return (
    <Modal
      labelledBy={id}
      onClose={onClose}
      toastPlace="bottom"
      className="h-dvh max-h-none w-full max-w-none overflow-y-auto bg-white"
    >
      <div
        data-theme="light"
        className="grid min-h-full content-between justify-items-center gap-4 bg-white px-6 pt-2 pb-8 text-base-content [--pair-ground:#fff] [--wordmark-ground:#fff]"
      >
        <IconButton
          icon={X}
          label="Close"
          onClick={onClose}
          className="justify-self-start [--btn-color:var(--color-base-300)] [--btn-rest-fg:var(--color-base-content)]"
        />
        <div className="grid w-full max-w-96 justify-items-center gap-4 text-center">
          {/* Shortened, so that the whole code is on the screen of a phone. */}
          <h2
            id={id}
            className={`wrap-anywhere ${poll.question.length > LARGE_FONT_MAX_CHARACTERS ? 'line-clamp-4 text-question' : 'line-clamp-3 text-title'}`}
          >
            {poll.question}
          </h2>
          <div className="w-44">
            <PollThumbnail poll={poll} />
          </div>
          <QrCode url={url} className="aspect-square w-full max-w-[18.9375rem]" />
          <p className="font-bold font-display text-question">Scan and pick one</p>
          <p className="break-all text-muted text-small">{withoutScheme(url)}</p>
        </div>
        <p className="text-[1.275rem]">
          <Wordmark />
        </p>
      </div>
    </Modal>
  );
}
