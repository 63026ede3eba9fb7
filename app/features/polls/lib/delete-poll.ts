import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { LONG_TIMEOUT_MS } from '#app/lib/api/long-timeout.ts';
import { deleteOwnPoll } from '#shared/polls/contract.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { closeEarly } from './close-early.ts';

/**
 * Deletes a poll of the user on the server. If it is open, it is closed early first, once per idempotency key `key`, which refunds
 * the unused responses. Returns the refunded points. Throws what `request` throws; but if the attempt `isRepeated`, a poll that is
 * not found was deleted by an earlier one.
 */
export async function deletePoll(
  { id, status }: Poll,
  { userId, key, isRepeated }: { userId: number; key: string; isRepeated: boolean },
): Promise<number> {
  const gone = isRepeated ? ['not_found'] : [];
  const refunded =
    status === 'active' ? await closeEarly(id, userId, key).catch(ignoring('poll_closed', ...gone)) : 0;
  const options = { params: { id }, userId, timeoutMs: LONG_TIMEOUT_MS };
  await request(deleteOwnPoll, options).catch(ignoring(...gone));
  return refunded ?? 0;
}

function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}
