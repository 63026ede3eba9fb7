import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { v4 as uuidv4 } from 'uuid';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { closeEarly } from '#app/features/polls/lib/close-early.ts';
import { codeOf, mayHaveTakenEffect } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { countLabel } from '#app/lib/count-label.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { showToast } from '#app/lib/toasts.ts';
import { PrimaryButton, SecondaryButton } from '#app/ui/button.tsx';
import { FormError } from '#app/ui/forms/field.tsx';
import { Coin, Icon } from '#app/ui/icon.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import { OnlineButtons } from '#app/ui/online.tsx';
import { refundOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';

/** The titles for errors after which the poll can no longer be closed. */
const FINAL_ERRORS: Readonly<Partial<Record<string, string>>> = {
  poll_closed: 'It was already closed',
  not_found: 'It could not be closed',
};

/** Asks for confirmation before a poll is closed early, and says how many points are refunded. */
export default function CloseDialog({ poll, onClose }: { poll: Poll; onClose(): void }) {
  const user = useUser();
  const points = usePoints();
  // The same idempotency key for each attempt, so that a retry after a lost response does not refund twice.
  const [key] = useState(() => uuidv4());
  const [isClosing, setClosing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const refund = refundOf(poll);
  if (user === null) return null;

  function dismiss() {
    if (!isClosing) onClose();
  }

  async function close(userId: number) {
    if (isClosing) return;
    setClosing(true);
    setError(null);
    try {
      const refunded = await closeEarly(poll.id, userId, key);
      const text = `${countLabel(refunded, 'point')} ${refunded === 1 ? 'is' : 'are'} back.`;
      showToast('success', 'Closed', refunded === 0 ? null : text, { topic: 'maker' });
      onClose();
    } catch (failure) {
      const title = FINAL_ERRORS[codeOf(failure) ?? ''];
      if (title !== undefined) {
        void refreshPoll(poll.id).catch(() => undefined);
        showToast('error', title, errorMessage(failure), { topic: 'maker' });
        onClose();
        return;
      }
      const hint = mayHaveTakenEffect(failure) ? ' The poll may have been closed already.' : '';
      setError(errorMessage(failure) + hint);
      setClosing(false);
    }
  }

  return (
    <SheetDialog title="Close it now?" onClose={dismiss}>
      <p className="text-body text-muted">
        {poll.votesCount} of {poll.responsesWanted} votes are in. It will end for everyone,{' '}
        {refund > 0
          ? 'the result will be shown, and your unused points will come back.'
          : 'and the result will be shown.'}
      </p>
      {refund > 0 && (
        <p className="flex min-h-12 flex-wrap items-center gap-x-2.5 rounded-control bg-base-300 px-3.5 py-2 text-body">
          <Coin />
          <b className="flex-1 font-bold">{`${countLabel(refund, 'point')} come${refund === 1 ? 's' : ''} back`}</b>
          {points && <span className="figures text-muted">You will have {points.confirmed + refund}</span>}
        </p>
      )}
      {error !== null && <FormError>{error}</FormError>}
      <OnlineButtons offline="You are offline. Connect to close the poll.">
        <PrimaryButton
          aria-disabled={isClosing}
          className="mt-1 min-h-12"
          onClick={() => void close(user.id)}
        >
          <Icon icon={CircleStop} /> {isClosing ? 'One moment…' : 'Close early'}
        </PrimaryButton>
      </OnlineButtons>
      <SecondaryButton data-first-focus="" className="min-h-12" aria-disabled={isClosing} onClick={dismiss}>
        Keep it open
      </SecondaryButton>
    </SheetDialog>
  );
}
