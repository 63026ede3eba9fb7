import { countLabel } from '#app/lib/count-label.ts';
import { timeLabel } from '#app/lib/time.ts';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import { RESPONSE_COST_POINTS } from '#shared/polls/constants.ts';

/** The two lines that describe an entry of the ledger. */
export function activityTexts(entry: ActivityEntry): { title: string; text: string } {
  const { reason, poll, friend, createdAt, delta } = entry;
  switch (reason) {
    case 'vote':
      // `poll` is null if it was deleted or removed, or is hidden from this user. The server does not say which.
      return { title: 'Voted', text: poll?.question ?? 'A poll you can no longer see' };
    case 'poll':
      return { title: 'Made a poll', text: poll?.question ?? 'A poll that is gone' };
    case 'refund':
      return {
        title: 'Closed early',
        text: `${countLabel(delta / RESPONSE_COST_POINTS, 'unused vote')} came back`,
      };
    case 'signup':
      return { title: 'Signed up', text: 'Points to start with' };
    case 'login':
      return { title: 'Logged in', text: timeLabel(createdAt) };
    case 'referral': {
      const name = friend?.user?.username ?? 'Somebody';
      if (friend?.event !== 'verified') return { title: 'Friend joined', text: `${name}, with your link` };
      return { title: 'Friend verified', text: `${name}, ${delta} more for verifying` };
    }
    default:
      return { title: delta > 0 ? 'Earned points' : 'Spent points', text: timeLabel(createdAt) };
  }
}
