import { useAtom } from 'jotai';
import { discard } from '#app/features/outbox/actions.ts';
import { opToDiscardAtom } from '#app/features/outbox/atoms.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { discardWarning } from './outbox-messages.ts';

/** Asks before a waiting change is discarded. */
export function DiscardDialog() {
  const [op, setOp] = useAtom(opToDiscardAtom);
  return op === null ? null : <Dialog op={op} onClose={() => setOp(null)} />;
}

function Dialog({ op, onClose }: { op: Op; onClose(): void }) {
  return (
    <SheetDialog title={`Discard this ${operationOf(op).words.noun}?`} onClose={onClose}>
      <p className="pb-2 text-field text-muted">{discardWarning(op)}</p>
      <SecondaryButton className="min-h-12" onClick={onClose}>
        Keep it
      </SecondaryButton>
      <SecondaryButton ghost className="min-h-12 text-error" onClick={() => void discard(op)}>
        Discard
      </SecondaryButton>
    </SheetDialog>
  );
}
