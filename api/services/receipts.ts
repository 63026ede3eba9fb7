import { createHash } from 'node:crypto';
import type { Handle } from '#api/db/client.ts';
import { AppError } from '#api/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';

const LOCK_TIMEOUT_CODE = '55P03';
const IN_FLIGHT_RETRY_AFTER_S = 1;

/** An idempotency key with what its request asks for. */
export type Receipt = {
  userId: number;
  /** UUID, as the client made it. */
  key: string;
  route: 'create' | 'vote';
  /** See `fingerprintOf`. */
  fingerprint: string;
};

/** What became of a request: its status, its error code (null when it was done) and the poll it was about. */
export type Outcome = { status: number; code: ErrorCode | null; entityId: string | null };

/** One text for all that a request asks for: requests with the same parts have the same one. */
export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The stored outcome of this key, or null. Throws `key_reused` when it belongs to another request. */
export async function findOutcome(handle: Handle, receipt: Receipt | null): Promise<Outcome | null> {
  if (receipt === null) return null;
  const [row] = await handle.sql<[(Outcome & { route: string; fingerprint: string })?]>`
    select route, fingerprint, status, code, entity_id as "entityId" from mutation_receipts
    where user_id = ${receipt.userId} and key = ${receipt.key}`;
  if (row === undefined) return null;
  if (row.route !== receipt.route || row.fingerprint !== receipt.fingerprint) {
    throw new AppError('key_reused');
  }
  return { status: row.status, code: row.code, entityId: row.entityId };
}

/**
 * Stores the outcome under the key, unless it has one, and tells whether it was stored. While another
 * transaction works on the same key it waits for that to end; past the lock timeout it throws `in_flight`.
 */
export async function storeOutcome(handle: Handle, receipt: Receipt, outcome: Outcome): Promise<boolean> {
  try {
    const stored = await handle.sql`
      insert into mutation_receipts (user_id, key, route, fingerprint, status, code, entity_id)
      values (${receipt.userId}, ${receipt.key}, ${receipt.route}, ${receipt.fingerprint},
        ${outcome.status}, ${outcome.code}, ${outcome.entityId})
      on conflict (user_id, key) do nothing`;
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
  await handle.sql`
    update mutation_receipts
    set status = ${outcome.status}, code = ${outcome.code}, entity_id = ${outcome.entityId}
    where user_id = ${receipt.userId} and key = ${receipt.key}`;
}

/** A lock that was waited for too long, as `in_flight`; any other error as it is. */
export function asInFlight(error: unknown): unknown {
  const isLockTimeout = error instanceof Error && 'code' in error && error.code === LOCK_TIMEOUT_CODE;
  if (!isLockTimeout) return error;
  return new AppError('in_flight', { retryAfterSeconds: IN_FLIGHT_RETRY_AFTER_S, cause: error });
}
