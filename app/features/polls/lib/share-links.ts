import { queueVote, refreshPoll } from '#app/features/polls/actions.ts';
import { sessionState } from '#app/lib/engine/engine.ts';
import { dropPendingVote, type PendingVote, slugOf } from '#app/lib/sharing/pending-vote.ts';
import { showToast } from '#app/lib/toasts.ts';
import { captionOf } from '#shared/polls/rules.ts';
import { readPoll } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';

const underWay = new Map<string, Promise<void>>();

/**
 * Casts the vote that somebody chose on the page of a share link, now that they are logged in; or says why it does not count.
 * Doing it twice changes nothing: the outbox takes one vote for each poll, and the server counts one.
 */
export function castPendingVote(pending: PendingVote): Promise<void> {
  const { id } = pending.poll;
  const work = underWay.get(id) ?? cast(pending).finally(() => underWay.delete(id));
  underWay.set(id, work);
  return work;
}

async function cast({ poll: { id }, option }: PendingVote): Promise<void> {
  const pulled = await refreshPoll(id).catch(() => 'failed' as const);
  const session = sessionState.get();
  if (session.status !== 'user') return;
  if (pulled === 'gone') {
    dropPendingVote();
    showToast('error', 'This poll is gone', 'Your vote could not be counted.', 'vote');
    return;
  }
  const view = await readPoll(session.db, id, Date.now());
  // Without an answer the vote waits in the outbox, and the server decides about it later.
  const isKnown = view !== null && (pulled === 'updated' || pulled === 'unchanged');
  if (isKnown && view.poll.isMine) {
    showToast('success', 'This is your own poll', 'You cannot vote on it. Here is how it is going.', 'vote');
  } else if (isKnown && view.vote !== null) {
    // The same one: this has been done before.
    if (view.vote !== option)
      showToast(
        'success',
        'You had already voted',
        `Your vote for ${captionOf(view.poll, view.vote)} stays.`,
        'vote',
      );
  } else if (isKnown && view.poll.status !== 'active') {
    showToast('error', 'The poll closed before your vote', null, 'vote');
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
