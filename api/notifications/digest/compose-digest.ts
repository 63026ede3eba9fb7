import { and, count, eq, gt, inArray, lt, notExists, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { notifications } from '#api/db/schema/notifications.ts';
import { polls } from '#api/db/schema/polls.ts';
import { votes } from '#api/db/schema/votes.ts';
import { daysAgo, inDays } from '#api/db/timestamps.ts';
import type { Digest } from '#api/mail/digest-mail.ts';
import { toNotification } from '#api/notifications/list-notifications.ts';
import { selectNotifications } from '#api/notifications/queries.ts';
import { onlyShownTo } from '#api/polls/queries.ts';
import { DIGEST_INTERVAL_DAYS } from '#shared/notifications/constants.ts';
import { resultText } from '#shared/notifications/text-rules.ts';

const RESULTS_MAX = 5;
/** `endingText` says this number. */
const ENDS_WITHIN_DAYS = 2;
/** Counting stops here; the mail then says "more than 20". */
const ENDING_COUNTED_MAX = 21;

/**
 * Composes a user's weekly mail: what happened to their polls in the last week, and how many polls that end soon wait for their
 * vote. Null if there is neither. Polls of others are only counted, so that our mails contain no text of other users.
 */
export async function composeDigest(handle: Handle, userId: number): Promise<Digest | null> {
  const closed = await selectNotifications(
    handle,
    userId,
    inArray(notifications.kind, ['completed', 'expired']),
    gt(notifications.createdAt, daysAgo(DIGEST_INTERVAL_DAYS)),
  );
  const results = closed.map(toNotification).flatMap(({ poll }) => {
    return poll === null
      ? []
      : [{ question: poll.question.replaceAll(/\s+/g, ' '), result: resultText(poll) }];
  });
  const further = results.length - RESULTS_MAX;
  const newVotes = await countNewVotes(handle, userId);
  const ending = await countEnding(handle, userId);
  const facts = [
    ...(further > 0 ? [`And ${further} more of your polls ${further === 1 ? 'has' : 'have'} closed.`] : []),
    ...(newVotes > 0 ? [`Your polls got ${newVotes} ${newVotes === 1 ? 'vote' : 'votes'}.`] : []),
    ...(ending > 0 ? [endingText(ending)] : []),
  ];
  return results.length + facts.length === 0 ? null : { results: results.slice(0, RESULTS_MAX), facts };
}

function endingText(ending: number): string {
  const text = 'wait for your vote and end within two days.';
  if (ending === 1) return '1 poll waits for your vote and ends within two days.';
  return ending === ENDING_COUNTED_MAX ? `More than ${ending - 1} polls ${text}` : `${ending} polls ${text}`;
}

async function countNewVotes({ orm }: Handle, userId: number): Promise<number> {
  const [row] = await orm
    .select({ votes: count() })
    .from(votes)
    .innerJoin(polls, eq(polls.id, votes.pollId))
    .where(and(eq(polls.userId, userId), gt(votes.createdAt, daysAgo(DIGEST_INTERVAL_DAYS))));
  return row?.votes ?? 0;
}

/** Counts open polls of others that end soon and that the user has not voted on, up to `ENDING_COUNTED_MAX`. */
async function countEnding(handle: Handle, userId: number): Promise<number> {
  const { orm } = handle;
  const ownVotes = orm
    .select({ id: votes.id })
    .from(votes)
    .where(and(eq(votes.pollId, polls.id), eq(votes.userId, userId)));
  const rows = await orm
    .select({ id: polls.id })
    .from(polls)
    .where(
      and(
        polls.active,
        gt(polls.closesAt, sql`now()`),
        lt(polls.closesAt, inDays(ENDS_WITHIN_DAYS)),
        lt(sql`${polls.votes1} + ${polls.votes2}`, polls.responsesWanted),
        sql`${polls.userId} is distinct from ${userId}`,
        onlyShownTo(handle, userId),
        notExists(ownVotes),
      ),
    )
    .limit(ENDING_COUNTED_MAX);
  return rows.length;
}
