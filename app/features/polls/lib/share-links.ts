import { queueVote, refreshPoll } from '#app/features/polls/actions.ts';
import { loadEngine, sessionState } from '#app/lib/engine/engine.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import { dropPendingVote, type PendingVote, slugOf } from '#app/lib/sharing/pending-vote.ts';
import { showToast } from '#app/lib/toasts.ts';
import { captionOf } from '#shared/polls/rules.ts';
import { readPoll } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';

/** The votes that are being cast, by poll id. */
const castsInFlight = new Map<string, Promise<void>>();

/**
 * Casts the pending vote of a user who has now logged in, or shows a toast that says why it does not count. Idempotent: the
 * outbox takes one vote per poll, and the server counts one.
 */
export function castPendingVote(pending: PendingVote): Promise<void> {
  const { id } = pending.poll;
  const castInFlight = castsInFlight.get(id) ?? cast(pending).finally(() => castsInFlight.delete(id));
  castsInFlight.set(id, castInFlight);
  return castInFlight;
}

async function cast({ poll: { id }, option }: PendingVote): Promise<void> {
  const pulled = await refreshPoll(id).catch(() => 'failed' as const);
  const session = sessionState.get();
  if (session.status !== 'user') return;
  if (pulled === 'gone') {
    dropPendingVote();
    showToast('error', 'This poll is gone', 'Your vote could not be counted.', { topic: 'vote' });
    return;
  }
  const view = await readPoll(session.db, id, (await loadEngine()).serverNow());
  // Without a response the vote is queued in the outbox, and the server decides about it later.
  const isUpToDate = view !== null && hasSucceeded(pulled);
  if (isUpToDate && view.poll.isMine) {
    showToast('success', 'This is your own poll', 'You cannot vote on it. Here is how it is going.', {
      topic: 'vote',
    });
  } else if (isUpToDate && view.vote !== null) {
    // With the same option, this vote was cast before, and there is nothing to say.
    if (view.vote !== option)
      showToast(
        'success',
        'You had already voted',
        `Your vote for ${captionOf(view.poll, view.vote)} stays.`,
        { topic: 'vote' },
      );
  } else if (isUpToDate && view.poll.status !== 'active') {
    showToast('error', 'The poll closed before your vote counted', null, { topic: 'vote' });
  } else if (!(await queueVote('vote', id, option))) {
    return;
  }
  dropPendingVote();
}

/** The id of the poll with this slug, if it is on this device. */
export async function findCachedPollId(db: UserDb, slug: string): Promise<string | null> {
  const poll = await db.polls
    .filter(({ shareUrl }) => shareUrl !== undefined && slugOf(shareUrl) === slug)
    .first();
  return poll?.id ?? null;
}
