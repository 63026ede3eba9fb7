import { CircleStop } from 'lucide-react';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { closeEarly } from '#app/features/polls/lib/close-early.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { showToast } from '#app/lib/toasts.ts';
import { refundOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { MakerDialog, refundText } from './maker-dialog.tsx';

/** The titles for errors after which the poll can no longer be closed. */
const FINAL_ERRORS: Readonly<Partial<Record<string, string>>> = {
  poll_closed: 'It was already closed',
  not_found: 'It could not be closed',
};

/** Asks for confirmation before a poll is closed early, and says how many points are refunded. */
export default function CloseDialog({ poll, onClose }: { poll: Poll; onClose(): void }) {
  const refund = refundOf(poll);

  async function close(userId: number, key: string) {
    try {
      const refunded = await closeEarly(poll.id, userId, key);
      showToast('success', 'Closed', refundText(refunded), { topic: 'maker' });
    } catch (failure) {
      const title = FINAL_ERRORS[codeOf(failure) ?? ''];
      if (title === undefined) throw failure;
      void refreshPoll(poll.id).catch(() => undefined);
      showToast('error', title, errorMessage(failure), { topic: 'maker' });
    }
  }

  return (
    <MakerDialog
      title="Close it now?"
      refund={refund}
      confirm={{ icon: CircleStop, label: 'Close early' }}
      cancelLabel="Keep it open"
      unclearHint="The poll may have been closed already."
      offlineText="You are offline. Connect to close the poll."
      onConfirm={close}
      onClose={onClose}
    >
      {poll.votesCount} of {poll.responsesWanted} votes are in. It will end for everyone,{' '}
      {refund > 0
        ? 'the result will be shown, and your unused points will come back.'
        : 'and the result will be shown.'}
    </MakerDialog>
  );
}
