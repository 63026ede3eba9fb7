import type { AppDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { deletePollAndImages } from '#api/polls/delete-poll.ts';
import { findPollFor, pollNotFound } from '#api/polls/poll-rows.ts';
import type { PollViewer } from '#api/polls/poll-view.ts';
import type { MessageResponse } from '#shared/accounts/schema.ts';

/** Deletes a poll of the user. Nothing is refunded. Throws `not_yours`, or `not_found`, also for a removed poll. */
export async function deleteOwnPoll(
  deps: AppDeps,
  { user, pollId }: { user: PollViewer; pollId: string },
): Promise<MessageResponse> {
  const poll = await findPollFor(deps.db, pollId, user);
  if (poll === null) throw pollNotFound();
  if (poll.userId !== user.id) throw new AppError('not_yours');
  await deletePollAndImages(deps, pollId, async (_tx, { removedAt }) => {
    // An administrator has removed it in the meantime.
    if (removedAt !== null) throw pollNotFound();
    return [];
  });
  return { message: 'The poll was deleted.' };
}
