import { RotateCw, Trash2, X } from 'lucide-react';
import { discardOp, tryOpAgain } from '#app/features/polls/actions.ts';
import { refusalMessage } from '#app/lib/api/error-message.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { operationOf } from '#sync/operations/registry.ts';

type Props = { poll: Poll; op: NonNullable<PollView['voteOp']> };

/** Moves the focus from a button of a notice, which is about to disappear, to the vote buttons or results of its card. */
function keepFocusOnCard(button: Element): void {
  const zone = button.closest('article')?.querySelector<HTMLElement>('[data-zone]');
  zone?.focus({ preventScroll: true });
}

/**
 * Says why a vote or a change of a vote was rejected, or that it is kept until the user decides (`needs_attention`), with the
 * actions that are possible.
 */
export function RefusalNotice({ poll, op }: Props) {
  const canTryAgain = op.state === 'needs_attention';
  const [confirmedVote] = poll.votes;
  const texts = operationOf(op).texts.forCard?.(
    captionOf(poll, op.payload.option),
    confirmedVote === undefined ? null : captionOf(poll, confirmedVote.option),
  );
  return (
    <div className="relative z-1 mt-2 rounded-image bg-base-200 p-2.5">
      <div className="flex gap-2.5 px-1 pt-0.5 pb-2.5">
        <span className="grid size-7 shrink-0 place-items-center rounded-full bg-error text-error-content">
          <Icon icon={X} size={16} />
        </span>
        <p className="self-center text-body">
          <b className="font-bold">{canTryAgain ? texts?.unsent : texts?.refused}</b>{' '}
          {canTryAgain ? 'It is kept here until you decide.' : op.lastError && refusalMessage(op.lastError)}{' '}
          {texts?.confirmedVote}
        </p>
      </div>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        {canTryAgain && (
          <SecondaryButton
            onClick={({ currentTarget }) => {
              keepFocusOnCard(currentTarget);
              void tryOpAgain(op.opId);
            }}
          >
            <Icon icon={RotateCw} /> Try again
          </SecondaryButton>
        )}
        <SecondaryButton
          onClick={({ currentTarget }) => {
            keepFocusOnCard(currentTarget);
            void discardOp(op.opId);
          }}
        >
          <Icon icon={Trash2} /> Discard
        </SecondaryButton>
      </div>
    </div>
  );
}
