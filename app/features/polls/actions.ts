import { pollSaveError, saveErrorMessage } from '#app/features/polls/lib/save-errors.ts';
import { refusalMessage } from '#app/lib/api/error-message.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { logWarning } from '#app/lib/log.ts';
import { shareLink } from '#app/lib/sharing/share.ts';
import { store } from '#app/lib/store.ts';
import { durationLabel } from '#app/lib/time.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { countWarmUpVote, endWarmUp, uncountWarmUpVote } from '#app/lib/warm-up.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import { type NewOperation, operationOf } from '#sync/operations/registry.ts';
import {
  type FeedLoad,
  feedLoadAtom,
  feedUserDb,
  isFeedStaleAtom,
  keptHiddenAtom,
  loadingMoreAtom,
} from './atoms.ts';

/** How long the toast about a new poll, with its Share button, is shown. */
const SHARE_OFFER_MS = 10_000;
/** A feed that is older than this is likely to lack new polls. */
const FEED_STALE_AFTER_MS = 5 * 60_000;

function hasSucceeded(result: PullResult): boolean {
  return result === 'updated' || result === 'unchanged';
}

/** Queues a vote or a change of a vote. Shows a toast and returns false if this device could not store it. */
export async function queueVote(
  type: 'vote' | 'changeVote',
  pollId: string,
  option: Option,
): Promise<boolean> {
  try {
    const engine = await loadEngine();
    await engine.queue({ type, payload: { pollId, option } });
    dismissTopic('vote');
    const session = engine.session.get();
    if (type === 'vote' && session.status === 'user') countWarmUpVote(session.user.id, pollId);
    return true;
  } catch (error) {
    const name = type === 'vote' ? 'vote' : 'change';
    showToast('error', `Your ${name} was not saved`, saveErrorMessage(error), 'vote');
    return false;
  }
}

/**
 * Queues a new poll, in place of the refused op `replacesOpId` if that was edited. Shows a toast and returns false if this device
 * could not store it.
 */
export async function createPoll(draft: PollDraft, replacesOpId?: string): Promise<boolean> {
  try {
    const engine = await loadEngine();
    await engine.createPoll(draft, replacesOpId);
    endWarmUp();
    return true;
  } catch (error) {
    const { title, text } = pollSaveError(error);
    showToast('error', title, text, 'create-poll');
    return false;
  }
}

/** Queues an operation that hides or shows polls. Shows a toast titled `failure` and returns false if it could not be stored. */
async function queueHiding(operation: NewOperation, failure: string): Promise<boolean> {
  try {
    await (await loadEngine()).queue(operation);
    return true;
  } catch (error) {
    showToast('error', failure, saveErrorMessage(error), 'hide');
    return false;
  }
}

/** Keeps the card of a poll that is about to be hidden in its place, where it offers Undo. */
function keepHiddenCard(pollId: string): void {
  store.set(keptHiddenAtom, (kept) => new Set([...kept, pollId]));
}

export function reportPoll({ id }: Poll, reason: ReportReason, text: string | undefined): Promise<boolean> {
  keepHiddenCard(id);
  return queueHiding({ type: 'report', payload: { pollId: id, reason, text } }, 'Your report was not saved');
}

export function takeBackReport(pollId: string): Promise<boolean> {
  return queueHiding({ type: 'takeBackReport', payload: { pollId } }, 'Your report was not taken back');
}

/** Blocks or unblocks a user, by the menu or the card of the poll `pollId`. Returns false if this device could not store it. */
export function setBlocked(username: string, isBlocked: boolean, pollId: string): Promise<boolean> {
  keepHiddenCard(pollId);
  const type = isBlocked ? 'block' : 'unblock';
  return queueHiding({ type, payload: { username } }, `${username} was not ${type}ed`);
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

/** Stores the load state of the feed of `owner`, unless the session of this user has ended since. */
function setFeedLoad(owner: UserDb, load: FeedLoad): void {
  if (owner === feedUserDb()) store.set(feedLoadAtom, { owner, load });
}

/** Loads page 1 of the feed and the trending polls. A failure of the trending polls is ignored. */
export async function refreshFeed(): Promise<void> {
  const owner = feedUserDb();
  if (owner === null || feedLoadOf(owner) === 'loading') return;
  const wasStale = store.get(isFeedStaleAtom);
  store.set(isFeedStaleAtom, false);
  setFeedLoad(owner, 'loading');
  const result = await pullFirstPage().catch((): PullResult => 'failed');
  if (hasSucceeded(result)) return setFeedLoad(owner, 'loaded');
  setFeedLoad(owner, result === 'unreachable' ? 'unreachable' : 'failed');
  store.set(isFeedStaleAtom, wasStale);
}

async function pullFirstPage(): Promise<PullResult> {
  store.set(keptHiddenAtom, new Set<string>());
  const engine = await loadEngine();
  const [feed] = await Promise.all([engine.pullFeed(), engine.pullTrending()]);
  return feed;
}

/** Marks a feed that was loaded long ago as stale, which shows a dot on Refresh. */
export async function checkFeedAge(): Promise<void> {
  const owner = feedUserDb();
  if (owner === null) return;
  const load = feedLoadOf(owner);
  if (load === 'idle' || load === 'loading') return;
  const meta = await owner.listMeta.get('feed');
  // Both times are by this device's clock. If the clock was set back in between, the age is unknown and counts as stale.
  const isStale = meta !== undefined && Math.abs(Date.now() - meta.fetchedAt) > FEED_STALE_AFTER_MS;
  if (isStale && owner === feedUserDb()) store.set(isFeedStaleAtom, true);
}

let nextPageLoad: Promise<boolean> | null = null;

/** Appends the next page of the feed; resolves to false if it could not be loaded. Concurrent calls share one load. */
export function loadMore(): Promise<boolean> {
  nextPageLoad ??= pullNextPage().finally(() => {
    nextPageLoad = null;
  });
  return nextPageLoad;
}

async function pullNextPage(): Promise<boolean> {
  store.set(loadingMoreAtom, true);
  try {
    const result = await (await loadEngine()).pullMoreFeed();
    if (!hasSucceeded(result)) logWarning('The next page of polls could not be loaded:', result);
    return hasSucceeded(result);
  } catch (error) {
    logWarning('The next page of polls could not be loaded:', error);
    return false;
  } finally {
    store.set(loadingMoreAtom, false);
  }
}

export async function refreshOwnPolls(): Promise<PullResult> {
  return (await loadEngine()).pullMine();
}

export async function refreshPoll(id: string): Promise<PullResult> {
  return (await loadEngine()).pullPoll(id);
}

/** Shows a toast about the outcome of a queued poll or a refused report or block. A refused vote is taken off the warm-up. */
export function announceOutcome(event: EngineEvent): void {
  if (event.type === 'rejected' && event.op.type === 'vote') {
    uncountWarmUpVote(event.op.userId, event.op.entityId);
  }
  if (event.type === 'rejected' && operationOf(event.op).hiding !== null) announceRefusedHiding(event);
  if (event.op.type !== 'createPoll') return;
  const topic = `poll ${event.op.entityId}` as const;
  if (event.type === 'delayed') {
    // True offline, and on a slow connection on which no response has arrived yet.
    const text = 'It will be posted as soon as the connection allows.';
    showToast('pending', 'Saved on this device', text, topic);
  } else if (event.type === 'applied' && event.isNew) {
    const text = `It is open for ${durationLabel(event.op.payload.durationDays * DAY_MS)}.`;
    const { payload } = event.op;
    const url = event.poll?.shareUrl;
    const share = url && {
      action: { label: 'Share', run: () => void shareLink({ title: payload.question, url }, true) },
      durationMs: SHARE_OFFER_MS,
    };
    showToast('success', 'Poll created!', text, topic, share || {});
  } else if (event.type === 'applied') {
    showToast('success', 'Already posted', 'This poll was posted before and remains unchanged.', topic);
  } else {
    showToast('error', 'Failed to create poll', refusalMessage(event.error), topic);
  }
}

function announceRefusedHiding({ op, error }: Extract<EngineEvent, { type: 'rejected' }>): void {
  const { refused, reason } = operationOf(op).texts;
  const text = reason(error.code, op.payload, { choice: null, points: null });
  showToast('error', refused, text ?? refusalMessage(error), 'hide');
}
