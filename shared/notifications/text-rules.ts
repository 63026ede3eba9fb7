import type { Notification } from '#shared/notifications/schema.ts';
import { REFERRAL_SIGNUP_POINTS, REFERRAL_VERIFIED_POINTS } from '#shared/points/constants.ts';
import { captionOf, votePercentages } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';

type NotifiedPoll = NonNullable<Notification['poll']>;

/** The number on the bell, at most "9+": there is no space for more. */
export function formatUnreadCount(unread: number): string {
  return unread > 9 ? '9+' : String(unread);
}

/** The first line of a notification. */
export function notificationTitle({ kind, poll, user, verdict }: Notification): string {
  const name = user?.username ?? 'Somebody';
  switch (kind) {
    case 'first_vote':
      return 'Your first vote is in';
    case 'halfway':
      return poll === null
        ? 'Halfway there'
        : `Halfway: ${Math.ceil(poll.responsesWanted / 2)} of ${poll.responsesWanted} votes`;
    case 'completed':
      return poll === null ? 'All votes are in' : `All ${poll.responsesWanted} votes are in`;
    case 'expired':
      return poll === null
        ? 'A poll has closed'
        : `Closed: ${votesOf(poll)} of ${poll.responsesWanted} votes`;
    case 'removed':
      return 'Your poll was removed';
    case 'referral_joined':
      return `${name} joined`;
    case 'referral_verified':
      return `${name} verified their email`;
    case 'report_resolved':
      return verdict === 'upheld' ? 'Your report was right' : 'We looked at your report';
    default:
      return 'Something new';
  }
}

const votesOf = ({ results }: NotifiedPoll) => results.option1 + results.option2;

/** The leading option with its caption and percentage, or the reason why no option leads. */
export function resultOf(
  poll: NotifiedPoll,
): { option: Option; caption: string; percent: number } | 'No votes' | 'A draw' {
  const { option1, option2 } = poll.results;
  if (votesOf(poll) === 0) return 'No votes';
  if (option1 === option2) return 'A draw';
  const option: Option = option1 > option2 ? 1 : 2;
  return { option, caption: captionOf(poll, option), percent: votePercentages(poll.results)[option] };
}

/** The result as a text: "Mustard, 58%". */
export function resultText(poll: NotifiedPoll): string {
  const result = resultOf(poll);
  return typeof result === 'string' ? result : `${result.caption}, ${result.percent}%`;
}

/** The second line of a notification without a poll (it was never about one, or the poll no longer exists) or of an unknown kind. */
export function notificationText({ kind, verdict }: Notification): string {
  switch (kind) {
    case 'referral_joined':
      return `+${REFERRAL_SIGNUP_POINTS} points, by your link`;
    case 'referral_verified':
      return `+${REFERRAL_VERIFIED_POINTS} points`;
    case 'report_resolved':
      return verdict === 'upheld' ? 'The poll is gone. Thank you.' : 'The poll keeps to the rules and stays.';
    case 'unknown':
      return 'Update the app to see it.';
    default:
      return 'The poll is gone';
  }
}
