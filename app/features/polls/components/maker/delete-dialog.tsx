import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { deletePoll } from '#app/features/polls/lib/delete-poll.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { showToast } from '#app/lib/toasts.ts';
import { paths } from '#app/paths.ts';
import { refundOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { MakerDialog, refundText } from './maker-dialog.tsx';

/** Asks for confirmation before a poll is deleted. Leaves the poll's page afterwards. */
export default function DeleteDialog({ poll: latest, onClose }: { poll: Poll; onClose(): void }) {
  const navigate = useNavigate();
  // The poll at the first attempt, which may have closed it: a repetition closes it again with the same key.
  const [attempted, setAttempted] = useState<Poll | null>(null);
  const poll = attempted ?? latest;
  const isOpen = poll.status === 'active';

  async function remove(userId: number, key: string) {
    setAttempted(poll);
    let refunded: number;
    try {
      refunded = await deletePoll(poll, { userId, key, isRepeated: attempted !== null });
    } catch (failure) {
      if (codeOf(failure) !== 'not_found') throw failure;
      void refreshPoll(poll.id).catch(() => undefined);
      showToast('error', 'It could not be deleted', errorMessage(failure), { topic: 'maker' });
      return;
    }
    if (window.location.pathname === paths.poll.href(poll.id))
      navigate(paths.myPolls.href(), { replace: true });
    // The server responds that the poll is gone, and it is removed from this device, too.
    await refreshPoll(poll.id).catch(() => undefined);
    showToast('success', 'Deleted', refundText(refunded), { topic: 'maker' });
  }

  return (
    <MakerDialog
      title="Delete this poll?"
      refund={isOpen ? refundOf(poll) : 0}
      confirm={{ icon: Trash2, label: 'Delete poll' }}
      cancelLabel="Keep it"
      unclearHint={`The poll may have been ${isOpen ? 'closed or ' : ''}deleted already.`}
      offlineText="You are offline. Connect to delete the poll."
      onConfirm={remove}
      onClose={onClose}
    >
      It will be deleted for everyone and for good, with its votes, images and share link. Voters keep their
      points.
    </MakerDialog>
  );
}
