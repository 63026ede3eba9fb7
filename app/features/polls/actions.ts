import { pollSaveError, saveErrorMessage } from '#app/features/polls/lib/save-errors.ts';
import { refusalMessage } from '#app/lib/api/error-message.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { reachableState } from '#app/lib/engine/online.ts';
import { hasSucceeded } from '#app/lib/engine/pull-result.ts';
import { logWarning } from '#app/lib/log.ts';
import { reportedTitle } from '#app/lib/report-reasons.ts';
import { shareLink } from '#app/lib/sharing/share.ts';
import { store } from '#app/lib/store.ts';
import { durationLabel } from '#app/lib/time.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { countWarmUpVote, endWarmUp, isWarmingUp, uncountWarmUpVote } from '#app/lib/warm-up.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { ReportReason } from '#shared/reports/schema.ts';
import { DAY_MS } from '#shared/time.ts';
import type { PullResult } from '#sync/client/cache/pull.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Engine } from '#sync/client/engine.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import type { HiddenView, PollView } from '#sync/operations/operation.ts';
import { type CreatePollOp, type Op, operationOf, type SmallOpInput } from '#sync/operations/registry.ts';
import type { OpError } from '#sync/protocol/op.ts';
import {
  type FeedLoadState,
  feedLoadStateAtom,
  feedLoadStateOf,
  feedUserDb,
  isFeedStaleAtom,
  isLoadingMoreAtom,
  justHiddenAtom,
  loadedFeedDbAtom,
  NO_POLLS,
} from './atoms.ts';

/** A feed that is older than this is likely to lack new polls. */
const FEED_STALE_AFTER_MS = 5 * 60_000;

/** Queues a vote or a change of a vote. Shows a toast and returns false if this device could not store it. */
export function queueVote(type: 'vote' | 'changeVote', pollId: string, option: Option): Promise<boolean> {
  const name = type === 'vote' ? 'vote' : 'change';
  return changeOutbox('vote', `Your ${name} was not saved`, async (engine) => {
    await engine.queue({ type, payload: { pollId, option } });
    const session = engine.session.get();
    if (type === 'vote' && session.status === 'user') countWarmUpVote(session.user.id, pollId);
  });
}

/**
 * Queues a new poll, in place of the refused op `replacesOpId` if that was edited. Shows a toast and returns false if this device
 * could not store it.
 */
export async function createPoll(draft: PollDraft, replacesOpId?: string): Promise<boolean> {
  try {
    const engine = await loadEngine();
    await engine.createPoll(draft, replacesOpId);
    const session = engine.session.get();
    if (session.status === 'user' && isWarmingUp(session.user.id)) endWarmUp();
    return true;
  } catch (error) {
    const { title, text } = pollSaveError(error);
    showToast('error', title, text, { topic: 'create-poll' });
    return false;
  }
}

/** Changes the outbox. Shows a toast and returns false if this device could not store the change. */
async function changeOutbox(
  topic: 'vote' | 'hide',
  failureTitle: string,
  change: (engine: Engine) => Promise<unknown>,
): Promise<boolean> {
  dismissTopic(topic);
  try {
    await change(await loadEngine());
    return true;
  } catch (error) {
    showToast('error', failureTitle, saveErrorMessage(error), { topic });
    return false;
  }
}

/** Queues an op that hides or shows polls. Shows a toast and returns false if this device could not store it. */
function queueVisibilityChange(input: SmallOpInput, failureTitle: string): Promise<boolean> {
  return changeOutbox('hide', failureTitle, (engine) => engine.queue(input));
}

/** Keeps a poll's card in the list although the poll is about to be hidden; the card then offers Undo. */
function keepHiddenCard(pollId: string): void {
  store.set(justHiddenAtom, (ids) => new Set([...ids, pollId]));
}

export function reportPoll({ id }: Poll, reason: ReportReason, text: string | undefined): Promise<boolean> {
  keepHiddenCard(id);
  return queueVisibilityChange(
    { type: 'report', payload: { pollId: id, reason, text } },
    'Your report was not saved',
  );
}

export function takeBackReport(pollId: string): Promise<boolean> {
  return queueVisibilityChange(
    { type: 'takeBackReport', payload: { pollId } },
    'Your report was not withdrawn',
  );
}

/** Blocks the maker of the poll `pollId`. The card of this poll remains in the list. */
export function blockMaker(username: string, pollId: string): Promise<boolean> {
  keepHiddenCard(pollId);
  return queueVisibilityChange({ type: 'block', payload: { username } }, `${username} was not blocked`);
}

export function unblockMaker(username: string): Promise<boolean> {
  return queueVisibilityChange({ type: 'unblock', payload: { username } }, `${username} was not unblocked`);
}

/** What to tell a user about a poll that they have hidden by a report or a block, and how to undo that. */
export function hiddenNoticeOf({ id }: Poll, { username, reason }: HiddenView) {
  return username === undefined
    ? {
        title: reportedTitle(reason),
        text: 'You will not see it again.',
        undo: () => takeBackReport(id),
      }
    : {
        title: `${username} is blocked`,
        text: 'Blocked people are listed in Settings.',
        undo: () => unblockMaker(username),
      };
}

/** Shows a toast with Undo about a poll that the user has just hidden, on screens where its card disappears. */
export function announceHidden({ poll, hidden }: PollView): void {
  if (!hidden) return;
  const { title, text, undo } = hiddenNoticeOf(poll, hidden);
  showToast('success', title, text, { topic: 'hide', action: { label: 'Undo', run: () => void undo() } });
}

/** Discards a refused vote or change of a vote. Shows a toast and returns false if this device could not store that. */
export function discardOp(opId: string): Promise<boolean> {
  return changeOutbox('vote', 'Your change was not discarded', (engine) => engine.discard(opId));
}

/** Sends a refused vote or change of a vote again. Shows a toast and returns false if this device could not store that. */
export function tryOpAgain(opId: string): Promise<boolean> {
  return changeOutbox('vote', 'Your change was not sent', (engine) => engine.tryAgain(opId));
}

/** Stores the load state of the feed of `userDb`; `idle` if the session has ended since, as the next login loads it anew. */
function setFeedLoadState(userDb: UserDb, load: FeedLoadState): void {
  if (userDb === feedUserDb()) store.set(feedLoadStateAtom, { userDb, load });
  else if (store.get(feedLoadStateAtom).userDb === userDb)
    store.set(feedLoadStateAtom, { userDb: null, load: 'idle' });
}

/**
 * Loads page 1 of the feed and the trending polls, and removes the cards of polls that were just hidden. A failure of the
 * trending polls is ignored.
 */
export async function refreshFeed(): Promise<void> {
  const userDb = feedUserDb();
  if (userDb === null || feedLoadStateOf(store.get(feedLoadStateAtom), userDb) === 'loading') return;
  setFeedLoadState(userDb, 'loading');
  store.set(justHiddenAtom, NO_POLLS);
  const result = await pullFirstPage().catch((): PullResult => 'failed');
  const hasLoaded = hasSucceeded(result);
  if (hasLoaded) {
    store.set(isFeedStaleAtom, false);
    store.set(loadedFeedDbAtom, userDb);
  }
  setFeedLoadState(userDb, hasLoaded ? 'loaded' : result === 'unreachable' ? 'unreachable' : 'failed');
}

async function pullFirstPage(): Promise<PullResult> {
  const engine = await loadEngine();
  const [feed] = await Promise.all([engine.pullFeed(), engine.pullTrending().catch(() => undefined)]);
  return feed;
}

/** Marks a feed that was loaded long ago as stale, which shows a dot on Refresh. */
export async function checkFeedAge(): Promise<void> {
  const userDb = feedUserDb();
  if (userDb === null) return;
  const load = feedLoadStateOf(store.get(feedLoadStateAtom), userDb);
  if (load === 'idle' || load === 'loading') return;
  const meta = await userDb.listMeta.get('feed');
  // Both times are by this device's clock. If the clock was set back in between, the age is unknown and counts as stale.
  const isStale = meta !== undefined && Math.abs(Date.now() - meta.fetchedAt) > FEED_STALE_AFTER_MS;
  if (isStale && userDb === feedUserDb()) store.set(isFeedStaleAtom, true);
}

let nextPageLoad: Promise<boolean> | null = null;

/** Appends the next page of the feed; resolves to false if it could not be loaded. Concurrent calls share one load. */
export function loadMorePolls(): Promise<boolean> {
  nextPageLoad ??= pullNextPage().finally(() => {
    nextPageLoad = null;
  });
  return nextPageLoad;
}

async function pullNextPage(): Promise<boolean> {
  const warn = (cause: unknown) => logWarning('The next page of polls could not be loaded:', cause);
  store.set(isLoadingMoreAtom, true);
  try {
    const result = await (await loadEngine()).pullMoreFeed();
    if (hasSucceeded(result)) return true;
    warn(result);
  } catch (error) {
    warn(error);
  } finally {
    store.set(isLoadingMoreAtom, false);
  }
  return false;
}

export async function refreshOwnPolls(): Promise<PullResult> {
  return (await loadEngine()).pullMine();
}

export async function refreshPoll(id: string): Promise<PullResult> {
  return (await loadEngine()).pullPoll(id);
}

/**
 * Shows a toast about the outcome of a queued poll, and if a report, a block or the undoing of either is refused. Subtracts a
 * refused vote from the warm-up.
 */
export function announceOutcome(event: EngineEvent): void {
  if (isAboutCreation(event)) announceCreation(event);
  else if (event.type === 'rejected') {
    const { op, error } = event;
    if (op.type === 'vote') uncountWarmUpVote(op.userId, op.entityId);
    else announceRefusal(op, error);
  }
}

/** Shows a toast if the refused op hides or shows polls. */
function announceRefusal(op: Op, error: OpError): void {
  const { visibilityChange, texts } = operationOf(op);
  if (visibilityChange === null) return;
  const text = texts.reason(error.code, op.payload, { choice: null, points: null });
  showToast('error', texts.refused, text ?? refusalMessage(error), { topic: 'hide' });
}

type CreationEvent = EngineEvent & { op: CreatePollOp };

function isAboutCreation(event: EngineEvent): event is CreationEvent {
  return event.op.type === 'createPoll';
}

function announceCreation(event: CreationEvent): void {
  const { entityId, payload } = event.op;
  const topic = `poll ${entityId}` as const;
  if (event.type === 'rejected') {
    showToast('error', 'Failed to create poll', refusalMessage(event.error), { topic });
  } else if (event.type === 'delayed') {
    const text = reachableState.get()
      ? 'It is being sent. On a slow connection this can take a while.'
      : 'It will be posted as soon as you are back online.';
    showToast('pending', 'Saved on this device', text, { topic });
  } else if (!event.isNew) {
    showToast('success', 'Already posted', 'This poll was already posted and has not changed.', { topic });
  } else {
    const text = `It is open for ${durationLabel(payload.durationDays * DAY_MS)}.`;
    const url = event.poll?.shareUrl;
    const share = url && { label: 'Share', run: () => void shareLink({ title: payload.question, url }) };
    showToast('success', 'Poll created!', text, { topic, ...(share && { action: share }) });
  }
}
