import type { AppDeps } from '#api/deps.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { type PollViewer, toPoll } from './poll-view.ts';
import { listPollsOf } from './queries.ts';

/** The polls of a user as their maker sees them, newest first. */
export async function listOwnPolls(
  { db, shareLinks }: Pick<AppDeps, 'db' | 'shareLinks'>,
  user: PollViewer,
): Promise<Poll[]> {
  const polls = await listPollsOf(db, user.id);
  const nowMs = Date.now();
  return polls.map((poll) => toPoll(shareLinks, poll, user, null, nowMs));
}
