import { useAtom } from 'jotai';
import { useId } from 'react';
import { discard } from '#app/features/outbox/actions.ts';
import { withdrawAskedAtom } from '#app/features/outbox/atoms.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { withdrawalWords } from './outbox-words.ts';

/** Asks before a waiting change is withdrawn. */
export function WithdrawDialog() {
  const [op, setOp] = useAtom(withdrawAskedAtom);
  return op === null ? null : <Question op={op} onClose={() => setOp(null)} />;
}

function Question({ op, onClose }: { op: Op; onClose(): void }) {
  const titleId = useId();
  return (
    <Modal
      labelledBy={titleId}
      onClose={onClose}
      className="w-full rounded-t-card max-md:mb-0 md:w-[26rem] md:rounded-card"
    >
      <div className="grid gap-2 p-5 pb-[calc(1.25rem+env(safe-area-inset-bottom))]">
        <h2 id={titleId} className="text-title">
          Discard this {operationOf(op).words.noun}?
        </h2>
        <p className="pb-2 text-field text-muted">{withdrawalWords(op)}</p>
        <QuietButton className="min-h-12" onClick={onClose}>
          Keep it
        </QuietButton>
        <QuietButton ghost className="min-h-12 text-error" onClick={() => void discard(op)}>
          Discard
        </QuietButton>
      </div>
    </Modal>
  );
}
