import type { Poll } from '#shared/polls/schema.ts';
import type { HiddenEntry, UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { PULL_TIMEOUT_MS } from '#sync/client/timeout.ts';
import type { HiddenView } from '#sync/operations/operation.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { makerKey, pollKey } from '#sync/operations/visibility-change.ts';
import { isPending } from './overlay.ts';

/** The hidden polls and makers, by `pollKey` and `makerKey`. */
export type HiddenKeys = ReadonlyMap<string, HiddenView>;

/** Reads the hidden polls and makers: the state confirmed by the server with the overlay of `ops` (lowest `seq` first). */
export async function readHidden(db: UserDb, ops: readonly Op[]): Promise<HiddenKeys> {
  const hidden = new Map<string, HiddenView>();
  for (const { isHidden, key, reason, username } of await db.hidden.toArray()) {
    if (isHidden) hidden.set(key, { reason, username, op: null });
  }
  for (const op of ops) {
    const change = isPending(op) ? operationOf(op).visibilityChange?.(op.payload) : undefined;
    if (change?.isHidden) hidden.set(change.key, { reason: change.reason, username: change.username, op });
    else if (change !== undefined) hidden.delete(change.key);
  }
  return hidden;
}

/** Returns why `poll` is hidden; null if it is not. The user's own polls are never hidden. */
export function hiddenViewOf(poll: Poll, hidden: HiddenKeys): HiddenView | null {
  if (poll.isMine) return null;
  const maker = poll.user === null ? undefined : hidden.get(makerKey(poll.user.username));
  return maker ?? hidden.get(pollKey(poll.id)) ?? null;
}

/** Stores which polls and makers acknowledged ops have hidden or shown again. Runs in the caller's transaction. */
export async function confirmVisibilityChanges(
  db: UserDb,
  ops: readonly Op[],
  ackedAt: number,
): Promise<void> {
  const entries = ops.flatMap((op): HiddenEntry[] => {
    const change = operationOf(op).visibilityChange?.(op.payload);
    return change === undefined ? [] : [{ ...change, ackedAt }];
  });
  await db.hidden.bulkPut(entries);
}

/**
 * Whether a read that started at `startedAt` reflects an entry that was acknowledged at `ackedAt`. If both times are equal, the
 * read may have started first, so the result is false.
 */
export function isReflectedByRead({ ackedAt }: Pick<HiddenEntry, 'ackedAt'>, startedAt: number): boolean {
  return hasPassed(ackedAt + 1, startedAt, PULL_TIMEOUT_MS);
}

/**
 * Deletes the entries that hide one of `polls`: the server has listed these polls in a read that started at `startedAt`, so
 * another device has taken back the report or unblocked the maker. Entries acknowledged later are kept. Polls without a share
 * link are ignored: they come from a server of the first release, which does not know reports. Runs in the caller's
 * transaction.
 */
export async function confirmShown(db: UserDb, polls: readonly Poll[], startedAt: number): Promise<void> {
  const olderEntries = await db.hidden
    .filter((entry) => entry.isHidden && isReflectedByRead(entry, startedAt))
    .toArray();
  if (olderEntries.length === 0) return;
  const shownKeys = new Set(
    polls
      .filter(({ shareUrl }) => shareUrl !== undefined)
      .flatMap(({ id, user }) => [pollKey(id), ...(user === null ? [] : [makerKey(user.username)])]),
  );
  await db.hidden.bulkDelete(olderEntries.flatMap(({ key }) => (shownKeys.has(key) ? [key] : [])));
}
