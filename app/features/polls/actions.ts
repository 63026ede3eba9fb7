import { pollFailure, unsavedWords } from '#app/features/polls/lib/unsaved-words.ts';
import { refusalMessage } from '#app/lib/api/error-message.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { logQuietly } from '#app/lib/log.ts';
import { store } from '#app/lib/store.ts';
import { spanLabel } from '#app/lib/time.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { DAY_MS } from '#shared/polls/constants.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent, PollDraft, PullResult } from '#sync/client/types.ts';
import { type FeedLoad, feedIsOldAtom, feedLoadAtom, feedOwner, loadingMoreAtom } from './atoms.ts';

/** A feed that was fetched longer ago is likely to lack some polls. */
const FEED_STALE_AFTER_MS = 5 * 60_000;

function isGood(result: PullResult): boolean {
  return result === 'updated' || result === 'unchanged';
}

/** Queues a vote or a change of one; false when this device could not keep it. */
export async function queueVote(
  type: 'vote' | 'changeVote',
  pollId: string,
  option: Option,
): Promise<boolean> {
  try {
    const engine = await loadEngine();
    await engine.queue({ type, payload: { pollId, option } });
    dismissTopic('vote');
    return true;
  } catch (error) {
    const what = type === 'vote' ? 'vote' : 'change';
    showToast('bad', `Your ${what} was not saved`, unsavedWords(error), 'vote');
    return false;
  }
}

/** Queues a poll, in the place of a refused one if it is edited; false when this device could not keep it. */
export async function createPoll(draft: PollDraft, replacesOpId?: string): Promise<boolean> {
  try {
    const engine = await loadEngine();
    await engine.createPoll(draft, replacesOpId);
    return true;
  } catch (error) {
    const { title, text } = pollFailure(error);
    showToast('bad', title, text, 'create-poll');
    return false;
  }
}

export async function discardOp(opId: string): Promise<void> {
  await (await loadEngine()).discard(opId);
}

export async function tryOpAgain(opId: string): Promise<void> {
  await (await loadEngine()).tryAgain(opId);
}

function feedLoadOf(user: UserDb): FeedLoad {
  const { owner, load } = store.get(feedLoadAtom);
  return owner === user ? load : 'idle';
}

/** What comes after its user has gone changes nothing. */
function noteLoad(owner: UserDb, load: FeedLoad): void {
  if (owner === feedOwner()) store.set(feedLoadAtom, { owner, load });
}

/** Page 1 of the feed and the trending polls. A failed trending block only stays as it was. */
export async function refreshFeed(): Promise<void> {
  const owner = feedOwner();
  if (owner === null || feedLoadOf(owner) === 'loading') return;
  const wasOld = store.get(feedIsOldAtom);
  store.set(feedIsOldAtom, false);
  noteLoad(owner, 'loading');
  const result = await pullPage1().catch((): PullResult => 'failed');
  if (isGood(result)) return noteLoad(owner, 'loaded');
  noteLoad(owner, result === 'unreachable' ? 'unreachable' : 'failed');
  store.set(feedIsOldAtom, wasOld);
}

async function pullPage1(): Promise<PullResult> {
  const engine = await loadEngine();
  const [feed] = await Promise.all([engine.pullFeed(), engine.pullTrending()]);
  return feed;
}

/** Coming back to a feed that was fetched long ago puts the dot on Refresh. One that is just loading needs none. */
export async function checkFeedAge(): Promise<void> {
  const owner = feedOwner();
  if (owner === null) return;
  const load = feedLoadOf(owner);
  if (load === 'idle' || load === 'loading') return;
  const meta = await owner.listMeta.get('feed');
  // Both by this device's clock; one that was put right meanwhile makes the age unknown, which is old enough.
  const isStale = meta !== undefined && Math.abs(Date.now() - meta.fetchedAt) > FEED_STALE_AFTER_MS;
  if (isStale && owner === feedOwner()) store.set(feedIsOldAtom, true);
}

let nextPage: Promise<boolean> | null = null;

/** The next page, appended; false when it did not come, which changes nothing on the screen. One at a time. */
export function loadMore(): Promise<boolean> {
  nextPage ??= pullNextPage().finally(() => {
    nextPage = null;
  });
  return nextPage;
}

async function pullNextPage(): Promise<boolean> {
  store.set(loadingMoreAtom, true);
  try {
    const result = await (await loadEngine()).pullMoreFeed();
    if (!isGood(result)) logQuietly('The next page of polls could not be loaded:', result);
    return isGood(result);
  } catch (error) {
    logQuietly('The next page of polls could not be loaded:', error);
    return false;
  } finally {
    store.set(loadingMoreAtom, false);
  }
}

export async function refreshMine(): Promise<PullResult> {
  return (await loadEngine()).pullMine();
}

export async function refreshPoll(id: string): Promise<PullResult> {
  return (await loadEngine()).pullPoll(id);
}

/** Says what became of a poll that was handed in. */
export function announceOutcome(event: EngineEvent): void {
  if (event.op.type !== 'createPoll') return;
  const topic = `poll ${event.op.entityId}` as const;
  if (event.type === 'applied' && !event.isNew) {
    showToast('good', 'Already posted', 'This poll had been posted before. It stays as it was then.', topic);
  } else if (event.type === 'applied') {
    showToast(
      'good',
      'Poll created!',
      `It is open for ${spanLabel(event.op.payload.durationDays * DAY_MS)}.`,
      topic,
    );
  } else if (event.type === 'delayed') {
    showToast('waiting', 'Saved on this device', 'It is posted as soon as the server can be reached.', topic);
  } else {
    showToast('bad', 'Failed to create poll', refusalMessage(event.error), topic);
  }
}
