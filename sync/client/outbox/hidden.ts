import type { Poll } from '#shared/polls/schema.ts';
import type { HiddenEntry, UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { PULL_TIMEOUT_MS } from '#sync/client/timeout.ts';
import type { HiddenView } from '#sync/operations/operation.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { makerKey, pollKey } from '#sync/operations/visibility-change.ts';
import { isPending } from './overlay.ts';

/** The polls and makers that the user hides, by `pollKey` and `makerKey`. */
export type HiddenKeys = ReadonlyMap<string, HiddenView>;

/** Reads what the user hides: the state confirmed by the server, with `ops` (lowest `seq` first) laid over it. */
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

/** Why lists of polls leave `poll` out; null if they show it. The user's own polls are always shown. */
export function hiddenViewOf(poll: Poll, hidden: HiddenKeys): HiddenView | null {
  if (poll.isMine) return null;
  const maker = poll.user === null ? undefined : hidden.get(makerKey(poll.user.username));
  return maker ?? hidden.get(pollKey(poll.id)) ?? null;
}

/** Stores what acknowledged ops have hidden or shown again. Runs in the caller's transaction. */
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
 * read may have started first and does not count.
 */
export function isReflectedByRead({ ackedAt }: Pick<HiddenEntry, 'ackedAt'>, startedAt: number): boolean {
  return hasPassed(ackedAt + 1, startedAt, PULL_TIMEOUT_MS);
}

/**
 * Deletes the entries that hide one of `polls`: the server listed these polls in a read that started at `startedAt`, so another
 * device has taken back the report or unblocked the maker. Entries acknowledged after that are kept. Runs in the caller's
 * transaction.
 *
 * A server of the first release does not know reports and lists hidden polls, too. Its polls have no share links and are ignored.
 */
export async function confirmShown(db: UserDb, polls: readonly Poll[], startedAt: number): Promise<void> {
  const older = await db.hidden
    .filter((entry) => entry.isHidden && isReflectedByRead(entry, startedAt))
    .toArray();
  if (older.length === 0) return;
  const shown = new Set(
    polls
      .filter(({ shareUrl }) => shareUrl !== undefined)
      .flatMap(({ id, user }) => [pollKey(id), ...(user === null ? [] : [makerKey(user.username)])]),
  );
  await db.hidden.bulkDelete(older.flatMap(({ key }) => (shown.has(key) ? [key] : [])));
}
