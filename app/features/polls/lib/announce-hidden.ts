import { takeBackReport, unblockMaker } from '#app/features/polls/actions.ts';
import { REPORT_REASONS } from '#app/lib/report-reasons.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { PollView } from '#sync/operations/operation.ts';

/** Shows a toast with Undo about a poll that the user has just hidden, on screens where its card disappears. */
export function announceHidden({ poll, hidden }: PollView): void {
  if (!hidden) return;
  const { username, reason } = hidden;
  const [title, text, run] =
    username === undefined
      ? [
          REPORT_REASONS[reason ?? 'other'].reportedTitle,
          'You will not see it again.',
          () => takeBackReport(poll.id),
        ]
      : [
          `${username} is blocked`,
          'Blocked people are listed in Settings.',
          () => unblockMaker(username, poll.id),
        ];
  showToast('success', title, text, { topic: 'hide', action: { label: 'Undo', run: () => void run() } });
}
