import type { EntityTable } from 'dexie';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { ListEntry, ListMeta, UserDb } from '#sync/client/db.ts';
import { hiddenViewOf, readHidden } from '#sync/client/outbox/hidden.ts';
import {
  isPending,
  overlayPoints,
  overlayPoll,
  type PointsView,
  viewOfNewPoll,
} from '#sync/client/outbox/overlay.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';
import type { HiddenView, PollView } from '#sync/operations/operation.ts';
import { createsPoll, type Op, operationOf } from '#sync/operations/registry.ts';
import { pollKey } from '#sync/operations/visibility-change.ts';
import { needsDecision } from '#sync/protocol/op.ts';
import { getPolls } from './get-polls.ts';

/** The content of the Polls tab. `meta` is null while this device has never loaded the feed. */
export type PollsTabView = { trending: PollView[]; latest: PollView[]; meta: ListMeta | null };
/** The user's own polls. `meta` is null while this device has never loaded them. */
export type OwnPollsView = { polls: PollView[]; meta: ListMeta | null };

async function pollsOf(db: UserDb, list: EntityTable<ListEntry, 'pollId'>): Promise<Poll[]> {
  const entries = await list.orderBy('position').toArray();
  const polls = await getPolls(
    db,
    entries.map((entry) => entry.pollId),
  );
  return polls.filter((poll) => poll !== undefined);
}

/** Reads the polls that pending ops create, newest first, without polls that are in the cache already. */
async function pendingCreations(db: UserDb, ops: readonly Op[]): Promise<PollView[]> {
  const user = await db.user.toCollection().first();
  if (user === undefined) return [];
  const views = ops.flatMap((op) => viewOfNewPoll(op, user) ?? []);
  const cached = await db.polls.bulkGet(views.map(({ poll }) => poll.id));
  return views.filter((_, index) => cached[index] === undefined).reverse();
}

/**
 * Reads the content of the Polls tab with the overlay of pending ops; the latest polls do not contain the trending polls.
 * Hidden polls are left out, except latest polls in `kept`, whose cards say that they are hidden.
 */
export async function readPollsTab(
  db: UserDb,
  serverNowMs: number,
  kept: ReadonlySet<string> = new Set(),
): Promise<PollsTabView> {
  const tables = [db.trending, db.feed, db.polls, db.ops, db.listMeta, db.user, db.hidden];
  return db.transaction('r', tables, async () => {
    const [trending, latest, ops, meta] = await Promise.all([
      pollsOf(db, db.trending),
      pollsOf(db, db.feed),
      db.ops.orderBy('seq').toArray(),
      db.listMeta.get('feed'),
    ]);
    const [created, hidden] = await Promise.all([pendingCreations(db, ops), readHidden(db, ops)]);
    const trendingIds = new Set(trending.map((poll) => poll.id));
    const viewOf = (poll: Poll): PollView => {
      const view = overlayPoll(poll, ops, serverNowMs);
      return hidden.size === 0 ? view : { ...view, hidden: hiddenViewOf(poll, hidden) };
    };
    return {
      trending: trending.map(viewOf).filter((view) => !view.hidden),
      latest: [
        ...created,
        ...latest
          .filter((poll) => !trendingIds.has(poll.id))
          .map(viewOf)
          .filter((view) => !view.hidden || kept.has(view.poll.id)),
      ],
      meta: meta ?? null,
    };
  });
}

/** Whether the feed was loaded and the Polls tab has no polls, not even one of a pending op. */
export function readIsPollsTabEmpty(db: UserDb): Promise<boolean> {
  return db.transaction('r', [db.listMeta, db.feed, db.trending, db.ops], async () => {
    if ((await db.listMeta.get('feed')) === undefined) return false;
    const creations = db.ops.filter((op) => isPending(op) && createsPoll(op));
    return (
      (await db.feed.count()) === 0 && (await db.trending.count()) === 0 && (await creations.count()) === 0
    );
  });
}

/** Whether this device knows that there are no polls: the feed was loaded and is empty, and no poll is stored. */
export async function readHasNoPolls(db: UserDb): Promise<boolean> {
  return (await db.polls.count()) === 0 && (await readIsPollsTabEmpty(db));
}

/** Reads the user's own polls, those of pending ops first. */
export async function readOwnPolls(db: UserDb, serverNowMs: number): Promise<OwnPollsView> {
  return db.transaction('r', [db.mine, db.polls, db.ops, db.listMeta, db.user], async () => {
    const [polls, ops, meta] = await Promise.all([
      pollsOf(db, db.mine),
      db.ops.orderBy('seq').toArray(),
      db.listMeta.get('mine'),
    ]);
    const created = await pendingCreations(db, ops);
    return {
      polls: [...created, ...polls.map((poll) => overlayPoll(poll, ops, serverNowMs))],
      meta: meta ?? null,
    };
  });
}

/** Reads one poll from the cache or the outbox; null if it is in neither. */
export async function readPoll(db: UserDb, pollId: string, serverNowMs: number): Promise<PollView | null> {
  const ops = await db.ops.orderBy('seq').toArray();
  const poll = await db.polls.get(pollId);
  if (poll !== undefined) {
    const view = overlayPoll(poll, ops, serverNowMs);
    return { ...view, hidden: hiddenViewOf(poll, await readHidden(db, ops)) };
  }
  const [created] = await pendingCreations(
    db,
    ops.filter(({ entityId }) => entityId === pollId),
  );
  return created ?? null;
}

/** A user whom this user has blocked. `unsent`: the block is not sent until the user has decided about it. */
export type BlockedUser = { username: string; state: 'confirmed' | 'waiting' | 'unsent' };

/** Reads the blocked users, sorted by name. */
export async function readBlockedUsers(db: UserDb): Promise<BlockedUser[]> {
  const hidden = await readHidden(db, await db.ops.orderBy('seq').toArray());
  return [...hidden.values()]
    .flatMap(({ username, op }) => (username === undefined ? [] : { username, state: stateOfBlock(op) }))
    .sort((a, b) => a.username.localeCompare(b.username));
}

function stateOfBlock(op: HiddenView['op']): BlockedUser['state'] {
  if (op === null) return 'confirmed';
  return needsDecision(op) ? 'unsent' : 'waiting';
}

/** Reads the points of this database's user; null until the user is cached. */
export async function readPoints(db: UserDb): Promise<PointsView | null> {
  const [user, ops] = await db.transaction('r', [db.user, db.ops], () =>
    Promise.all([db.user.toCollection().first(), db.ops.toArray()]),
  );
  return user === undefined ? null : overlayPoints(user, ops);
}

/** A pending op that will earn or cost points. */
export type PendingActivity = { op: Op; poll: Poll | null; delta: number };

/** The ledger, newest entries first. `meta` is null while this device has never loaded it. */
export type ActivityView = {
  entries: ActivityEntry[];
  pending: PendingActivity[];
  points: PointsView | null;
  meta: ListMeta | null;
};

/** Leaves hidden polls out of entries of the ledger, as the server does. */
async function withoutHiddenPolls(
  db: UserDb,
  entries: ActivityEntry[],
  ops: readonly Op[],
): Promise<ActivityEntry[]> {
  const hidden = await readHidden(db, ops);
  if (hidden.size === 0) return entries;
  const polls = await db.polls.bulkGet(entries.map(({ poll }) => poll?.id ?? ''));
  return entries.map((entry, index) => {
    const poll = polls[index];
    // The maker of a poll that is not cached is unknown.
    const isHidden = poll
      ? hiddenViewOf(poll, hidden) !== null
      : entry.poll && hidden.has(pollKey(entry.poll.id));
    return isHidden ? { ...entry, poll: null } : entry;
  });
}

/** Reads the stored entries of the ledger and the pending ops that will add an entry, newest first. */
export async function readActivity(db: UserDb): Promise<ActivityView> {
  const tables = [db.activity, db.ops, db.user, db.listMeta, db.hidden, db.polls];
  const [entries, ops, user, meta] = await db.transaction('r', tables, async () => {
    const ops = await db.ops.orderBy('seq').toArray();
    const entries = await db.activity.orderBy('id').reverse().toArray();
    return Promise.all([
      withoutHiddenPolls(db, entries, ops),
      ops.toReversed(),
      db.user.toCollection().first(),
      db.listMeta.get('activity'),
    ]);
  });
  const pending = ops.flatMap((op): Omit<PendingActivity, 'poll'>[] => {
    const { earned, spent } = operationOf(op).points(op.payload);
    const willAddEntry = isPending(op) && op.isRepeated !== true && earned !== spent;
    return willAddEntry ? [{ op, delta: earned - spent }] : [];
  });
  const polls = await db.polls.bulkGet(pending.map(({ op }) => op.entityId));
  return {
    entries,
    pending: pending.map((each, index) => {
      const newPoll = user === undefined ? undefined : viewOfNewPoll(each.op, user)?.poll;
      return { ...each, poll: polls[index] ?? newPoll ?? null };
    }),
    points: user === undefined ? null : overlayPoints(user, ops),
    meta: meta ?? null,
  };
}

/** Reads the points that the user has earned by referrals; undefined if there are none or the number is unknown. */
export async function readReferralPoints(db: UserDb): Promise<number | undefined> {
  return (await db.user.toCollection().first())?.referralPoints;
}

/** Reads the images of a queued poll; empty once the op has left the queue. */
export async function readLocalImages(
  db: UserDb,
  opId: string,
): Promise<Partial<Record<Option, ImageInput>>> {
  const blobs = await db.opBlobs.where('opId').equals(opId).toArray();
  return Object.fromEntries(
    blobs.map(({ slot, bytes, mime, width, height }) => [slot, { bytes, mime, width, height }]),
  );
}

/** Reads the ops that need the user's decision and the waiting ops, lowest `seq` first. */
export async function readOutbox(db: UserDb): Promise<{ needsDecision: Op[]; waiting: Op[] }> {
  const ops = await db.ops.orderBy('seq').toArray();
  return { needsDecision: ops.filter(needsDecision), waiting: ops.filter((op) => !needsDecision(op)) };
}

/** Counts the ops that need the user's decision and the waiting ops. */
export async function countOutbox(db: UserDb): Promise<{ needsDecision: number; waiting: number }> {
  const { needsDecision, waiting } = await readOutbox(db);
  return { needsDecision: needsDecision.length, waiting: waiting.length };
}

/** An op with its poll, which is null if it is not cached. */
export type OutboxItem = { op: Op; poll: Poll | null };

/** Reads the outbox as its page shows it: each op with its poll. */
export async function readOutboxItems(
  db: UserDb,
): Promise<Record<'needsDecision' | 'waiting', OutboxItem[]>> {
  const outbox = await readOutbox(db);
  const withPolls = async (ops: Op[]) => {
    const polls = await db.polls.bulkGet(ops.map((op) => op.entityId));
    return ops.map((op, index) => ({ op, poll: polls[index] ?? null }));
  };
  return { needsDecision: await withPolls(outbox.needsDecision), waiting: await withPolls(outbox.waiting) };
}
