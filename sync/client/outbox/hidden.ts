import type { Poll } from '#shared/polls/schema.ts';
import type { HiddenEntry, UserDb } from '#sync/client/db.ts';
import { hasPassed } from '#sync/client/has-passed.ts';
import { PULL_LIMIT_MS } from '#sync/client/time-limit.ts';
import { makerKey, pollKey } from '#sync/operations/hiding.ts';
import type { HiddenView } from '#sync/operations/operation.ts';
import { type Op, operationOf } from '#sync/operations/registry.ts';
import { isPending } from './overlay.ts';

/** What the user hides, by key. */
export type HiddenKeys = ReadonlyMap<string, HiddenView>;

/** What the user hides: confirmed by the server, with `ops` (lowest `seq` first) laid over it. */
export async function readHidden(db: UserDb, ops: readonly Op[]): Promise<HiddenKeys> {
  const hidden = new Map<string, HiddenView>();
  for (const { isHidden, key, reason, username } of await db.hidden.toArray()) {
    if (isHidden) hidden.set(key, { reason, username, op: null });
  }
  for (const op of ops) {
    const hiding = isPending(op) ? operationOf(op).hiding?.(op.payload) : undefined;
    if (hiding?.isHidden) hidden.set(hiding.key, { reason: hiding.reason, username: hiding.username, op });
    else if (hiding !== undefined) hidden.delete(hiding.key);
  }
  return hidden;
}

/** Why the lists of polls do not show `poll`; null when they do. One's own polls are always shown. */
export function hiddenViewOf(poll: Poll, hidden: HiddenKeys): HiddenView | null {
  if (poll.isMine) return null;
  const maker = poll.user === null ? undefined : hidden.get(makerKey(poll.user.username));
  return maker ?? hidden.get(pollKey(poll.id)) ?? null;
}

/** Stores what an acknowledged op has hidden or shown. Runs in the caller's transaction. */
export async function confirmHiding(db: UserDb, ops: readonly Op[], ackedAt: number): Promise<void> {
  const entries = ops.flatMap((op): HiddenEntry[] => {
    const hiding = operationOf(op).hiding?.(op.payload);
    return hiding === undefined ? [] : [{ ...hiding, ackedAt }];
  });
  await db.hidden.bulkPut(entries);
}

/**
 * Whether a read that started at `startedAt` knows of what was acknowledged at `ackedAt`. In the same millisecond it may have
 * started first.
 */
export function isKnownToRead({ ackedAt }: Pick<HiddenEntry, 'ackedAt'>, startedAt: number): boolean {
  return hasPassed(ackedAt + 1, startedAt, PULL_LIMIT_MS);
}

/**
 * Forgets what `polls`, which the server listed in a read that started at `startedAt`, prove to be shown again: another device
 * may have taken back the report, or unblocked the maker. Runs in the caller's transaction.
 *
 * A server without reports, which the first release had, lists what is hidden, and its polls have no share links: they prove
 * nothing.
 */
export async function confirmShown(db: UserDb, polls: readonly Poll[], startedAt: number): Promise<void> {
  const older = await db.hidden
    .filter((entry) => entry.isHidden && isKnownToRead(entry, startedAt))
    .toArray();
  if (older.length === 0) return;
  const shown = new Set(
    polls
      .filter(({ shareUrl }) => shareUrl !== undefined)
      .flatMap(({ id, user }) => [pollKey(id), ...(user === null ? [] : [makerKey(user.username)])]),
  );
  await db.hidden.bulkDelete(older.flatMap(({ key }) => (shown.has(key) ? [key] : [])));
}
