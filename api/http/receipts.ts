import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { findDatabaseError } from '#api/db/database-error.ts';
import { mutationReceipts } from '#api/db/schema/mutation-receipts.ts';
import { AppError } from '#api/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';

const LOCK_TIMEOUT_CODE = '55P03';
const IN_FLIGHT_RETRY_AFTER_S = 1;

/** An idempotency key and the request it stands for. */
export type Receipt = {
  userId: number;
  /** A UUID chosen by the client. */
  key: string;
  route: 'create' | 'vote' | 'change_vote';
  /** See `fingerprintOf`. */
  fingerprint: string;
  /** The id of the poll in lower case; null when the request names none. */
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
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/**
 * The stored outcome of a key, or null. A request for the same poll with another fingerprint (another version of the app
 * may write the same request differently) succeeds when its effect exists. Throws `key_reused` when the key belongs to
 * another request.
 */
export async function findOutcome(handle: Handle, receipt: Receipt | null): Promise<Outcome | null> {
  if (receipt === null) return null;
  const [row] = await handle.orm.select().from(mutationReceipts).where(isUnder(receipt));
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

/** The poll of a key's receipt; null when the key has no receipt. */
export async function findReceiptEntity({ orm }: Handle, userId: number, key: string) {
  const [row] = await orm
    .select({ entityId: mutationReceipts.entityId })
    .from(mutationReceipts)
    .where(isUnder({ userId, key }));
  return row ?? null;
}

/**
 * Stores the outcome of a key unless it has one, and returns whether it did. Waits for a concurrent transaction with the
 * same key; throws `in_flight` after the lock timeout.
 */
export async function storeOutcome(handle: Handle, receipt: Receipt, outcome: Outcome): Promise<boolean> {
  try {
    const { userId, key, route, fingerprint } = receipt;
    const stored = await handle.orm
      .insert(mutationReceipts)
      .values({ userId, key, route, fingerprint, ...toStored(outcome) })
      .onConflictDoNothing({ target: [mutationReceipts.userId, mutationReceipts.key] });
    return stored.count === 1;
  } catch (error) {
    throw asInFlight(error);
  }
}

/**
 * Returns the outcome of a request that changed nothing (a refusal or a repetition): the one stored first under its key,
 * so that all answers to a key agree, or `outcome` without a key.
 */
export async function settleOutcome(
  handle: Handle,
  receipt: Receipt | null,
  outcome: Outcome,
): Promise<Outcome> {
  if (receipt === null || (await storeOutcome(handle, receipt, outcome))) return outcome;
  return (await findOutcome(handle, receipt)) ?? outcome;
}

/** Replaces the outcome that this transaction has stored. */
export async function replaceOutcome(handle: Handle, receipt: Receipt, outcome: Outcome): Promise<void> {
  await handle.orm.update(mutationReceipts).set(toStored(outcome)).where(isUnder(receipt));
}

const toStored = ({ status, code, entityId }: Omit<Outcome, 'isReplay'>) => ({ status, code, entityId });

function isUnder({ userId, key }: Pick<Receipt, 'userId' | 'key'>) {
  return and(eq(mutationReceipts.userId, userId), eq(mutationReceipts.key, key));
}

/** Turns a lock timeout into `in_flight`; returns other errors unchanged. */
export function asInFlight(error: unknown): unknown {
  if (findDatabaseError(error).code !== LOCK_TIMEOUT_CODE) return error;
  return new AppError('in_flight', { retryAfterSeconds: IN_FLIGHT_RETRY_AFTER_S, cause: error });
}
