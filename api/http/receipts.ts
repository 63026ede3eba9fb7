import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { findDatabaseError } from '#api/db/database-error.ts';
import { mutationReceipts } from '#api/db/schema/mutation-receipts.ts';
import { AppError } from '#api/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';

const LOCK_TIMEOUT_CODE = '55P03';
const IN_FLIGHT_RETRY_AFTER_S = 1;

/** An idempotency key with what its request asks for. */
export type Receipt = {
  userId: number;
  /** UUID, as the client made it. */
  key: string;
  route: 'create' | 'vote' | 'change_vote';
  /** See `fingerprintOf`. */
  fingerprint: string;
  /** The poll that it is about, in lower case; null when the request does not say. */
  entityId: string | null;
  /** Whether what the request asks for is there already, whatever the key. */
  isDone(handle: Handle): Promise<boolean>;
};

/** What became of a request: its status, its error code (null when it was done) and the poll it was about. */
export type Outcome = {
  status: number;
  code: ErrorCode | null;
  entityId: string | null;
  /** Whether this request changed and decided nothing: the outcome was stored, or its effect there, before. */
  isReplay: boolean;
};

/** One text for all that a request asks for: requests with the same parts have the same one. */
export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/**
 * The stored outcome of this key, or null. A request for the same poll that differs otherwise (a newer version of the
 * app may write the same thing in another way) is done when its effect is there. Throws `key_reused` when the key
 * belongs to another request.
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

/** The poll that the receipt of this key is about; null when there is no such receipt. */
export async function findReceiptEntity({ orm }: Handle, userId: number, key: string) {
  const [row] = await orm
    .select({ entityId: mutationReceipts.entityId })
    .from(mutationReceipts)
    .where(isUnder({ userId, key }));
  return row ?? null;
}

/**
 * Stores the outcome under the key, unless it has one, and tells whether it was stored. While another
 * transaction works on the same key it waits for that to end; past the lock timeout it throws `in_flight`.
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
 * Settles a request that changed nothing (a refusal, or a natural repetition): the outcome that counts is the
 * one that was stored first, so that all answers to one key agree. Without a key it is `outcome`.
 */
export async function settleOutcome(
  handle: Handle,
  receipt: Receipt | null,
  outcome: Outcome,
): Promise<Outcome> {
  if (receipt === null || (await storeOutcome(handle, receipt, outcome))) return outcome;
  return (await findOutcome(handle, receipt)) ?? outcome;
}

/** Puts another outcome in the place of the one that this transaction stored. */
export async function replaceOutcome(handle: Handle, receipt: Receipt, outcome: Outcome): Promise<void> {
  await handle.orm.update(mutationReceipts).set(toStored(outcome)).where(isUnder(receipt));
}

const toStored = ({ status, code, entityId }: Omit<Outcome, 'isReplay'>) => ({ status, code, entityId });

function isUnder({ userId, key }: Pick<Receipt, 'userId' | 'key'>) {
  return and(eq(mutationReceipts.userId, userId), eq(mutationReceipts.key, key));
}

/** A lock that was waited for too long, as `in_flight`; any other error as it is. */
export function asInFlight(error: unknown): unknown {
  if (findDatabaseError(error).code !== LOCK_TIMEOUT_CODE) return error;
  return new AppError('in_flight', { retryAfterSeconds: IN_FLIGHT_RETRY_AFTER_S, cause: error });
}
