import type { AppDeps } from '#api/deps.ts';
import type { UserRow } from '#api/http/session/session-user.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { findPollFor, mayOpen, pollNotFound } from './poll-rows.ts';
import { toPoll } from './poll-view.ts';

/** The poll of this id as `viewer` sees it. Throws `not_found`, also for a poll that they may not open. */
export async function readPoll(
  { db, shareLinks }: Pick<AppDeps, 'db' | 'shareLinks'>,
  viewer: UserRow,
  pollId: string,
): Promise<Poll> {
  const poll = await findPollFor(db, pollId, viewer);
  if (poll === null || !(await mayOpen(db, poll, viewer))) throw pollNotFound();
  return toPoll(shareLinks, poll, viewer, poll.vote, Date.now());
}
