import { hash } from 'node:crypto';
import { and, eq, type SQL } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isLockTimeout } from '#api/db/database-error.ts';
import { mutationReceipts } from '#api/db/schema/mutation-receipts.ts';
import { inDays } from '#api/db/timestamps.ts';
import { AppError } from '#api/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';

const IN_FLIGHT_RETRY_AFTER_S = 1;
/** How long outcomes without an effect are kept. */
const NO_EFFECT_KEPT_DAYS = 7;
/** How long receipts of changes are kept, including those that can be undone. */
export const RECEIPTS_KEPT_DAYS = 90;
/** Of outcomes without an effect and of changes that can be undone, only the newest receipts are kept. */
const EXPIRING_MAX_PER_USER_AND_ROUTE = 500;

/** What identifies a receipt: an idempotency key, and the request that the key stands for. The receipt stores its `Outcome`. */
export type Receipt = {
  userId: number;
  /** A UUID chosen by the client. */
  key: string;
  route: 'create' | 'vote' | 'change_vote' | 'close' | 'report' | 'take_back_report' | 'block' | 'unblock';
  /** See `fingerprintOf`. */
  fingerprint: string;
  /** The id of the poll in lower case; null when the request names none. Two receipts with null are never for the same poll. */
  entityId: string | null;
  /** Whether the effect of the request exists already, under any key. */
  isDone(handle: Handle): Promise<boolean>;
};

/** The outcome of a request: its status, its error code (null after success) and its poll. */
export type Outcome = {
  status: number;
  code: ErrorCode | null;
  entityId: string | null;
  /** Whether the outcome was stored, or the effect existed, before this request. */
  isReplay: boolean;
};

/** A hash of the contents of a request. */
export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/**
 * The stored outcome of a key, or null. A request for the same poll with another fingerprint (another version of the app
 * may write the same request differently) succeeds when its effect exists. Throws `key_reused` when the key belongs to
 * another request.
 */
export async function findOutcome(handle: Handle, receipt: Receipt | null): Promise<Outcome | null> {
  if (receipt === null) return null;
  const [row] = await handle.orm.select().from(mutationReceipts).where(matchesKey(receipt));
  if (row === undefined) return null;
  const { route, fingerprint, entityId } = row;
  if (route === receipt.route && fingerprint === receipt.fingerprint) {
    return { ...toStored(row), isReplay: true };
  }
  const isSamePoll = receipt.entityId !== null && entityId === receipt.entityId;
  if (route === receipt.route && isSamePoll && (await receipt.isDone(handle))) {
    return { status: 200, code: null, entityId, isReplay: true };
  }
  throw new AppError('key_reused');
}

/** The poll id in the receipt of a key, as `entityId`; null when the key has no receipt. */
export async function findReceiptEntity({ orm }: Handle, userId: number, key: string) {
  const [row] = await orm
    .select({ entityId: mutationReceipts.entityId })
    .from(mutationReceipts)
    .where(matchesKey({ userId, key }));
  return row ?? null;
}

/**
 * Stores the outcome of a key unless the key has one, and returns whether it was stored. Without `expiresAt` the outcome is kept
 * for `RECEIPTS_KEPT_DAYS`. Waits for a concurrent transaction with the same key; throws `in_flight` after the lock timeout.
 */
export async function storeOutcome(
  handle: Handle,
  receipt: Receipt,
  outcome: Outcome,
  expiresAt: SQL | null = null,
): Promise<boolean> {
  try {
    const { userId, key, route, fingerprint } = receipt;
    const stored = await handle.orm
      .insert(mutationReceipts)
      .values({ userId, key, route, fingerprint, expiresAt, ...toStored(outcome) })
      .onConflictDoNothing({ target: [mutationReceipts.userId, mutationReceipts.key] });
    return stored.count === 1;
  } catch (error) {
    throw toInFlightError(error);
  }
}

/** Like `storeOutcome`, for changes that a user can undo and repeat any number of times: only the newest outcomes are kept. */
export async function storeUndoableOutcome(
  handle: Handle,
  receipt: Receipt,
  outcome: Outcome,
): Promise<boolean> {
  const isStored = await storeOutcome(handle, receipt, outcome, inDays(RECEIPTS_KEPT_DAYS));
  if (isStored) await removeSurplus(handle, receipt);
  return isStored;
}

/**
 * Stores the outcome of a request that changed nothing (a refusal or a repetition), and returns the outcome stored first under
 * its key, so that all responses to a key agree; without a key, `outcome`. `not_found` is not stored: a deleted poll cannot
 * reappear, though a hidden one can, and anybody could send any number of keys for polls that never existed.
 */
export async function settleOutcome(
  handle: Handle,
  receipt: Receipt | null,
  outcome: Outcome,
): Promise<Outcome> {
  if (receipt === null || outcome.code === 'not_found') return outcome;
  if (await storeOutcome(handle, receipt, outcome, inDays(NO_EFFECT_KEPT_DAYS))) {
    await removeSurplus(handle, receipt);
    return outcome;
  }
  return (await findOutcome(handle, receipt)) ?? outcome;
}

/** Puts an outcome without an effect in place of the one that this transaction has stored; see `settleOutcome`. */
export async function replaceOutcome(handle: Handle, receipt: Receipt, outcome: Outcome): Promise<void> {
  if (outcome.code === 'not_found') {
    await handle.orm.delete(mutationReceipts).where(matchesKey(receipt));
    return;
  }
  const expiresAt = inDays(NO_EFFECT_KEPT_DAYS);
  await handle.orm
    .update(mutationReceipts)
    .set({ ...toStored(outcome), expiresAt })
    .where(matchesKey(receipt));
  await removeSurplus(handle, receipt);
}

/** Removes the oldest expiring receipts of a route beyond the maximum per user. */
async function removeSurplus({ sql }: Handle, { userId, route }: Receipt): Promise<void> {
  // Tagged SQL: the builder cannot compare several columns at once. The rows are locked outside of the subquery with the offset,
  // which would also lock the rows that it skips.
  await sql`
    delete from mutation_receipts where (user_id, key) in (
      select user_id, key from mutation_receipts where (user_id, key) in (
        select user_id, key from mutation_receipts
        where user_id = ${userId} and route = ${route} and expires_at is not null
        order by expires_at desc, key offset ${EXPIRING_MAX_PER_USER_AND_ROUTE}
      ) for update skip locked
    )`;
}

const toStored = ({ status, code, entityId }: Omit<Outcome, 'isReplay'>) => ({ status, code, entityId });

function matchesKey({ userId, key }: Pick<Receipt, 'userId' | 'key'>) {
  return and(eq(mutationReceipts.userId, userId), eq(mutationReceipts.key, key));
}

/** Turns a lock timeout into `in_flight`; returns other errors unchanged. */
export function toInFlightError(error: unknown): unknown {
  if (!isLockTimeout(error)) return error;
  return new AppError('in_flight', { retryAfterSeconds: IN_FLIGHT_RETRY_AFTER_S, cause: error });
}
