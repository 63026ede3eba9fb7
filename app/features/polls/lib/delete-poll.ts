import { request } from '#app/lib/api/api-client.ts';
import { codeOf } from '#app/lib/api/api-error.ts';
import { deleteOwnPoll } from '#shared/polls/contract.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { closeEarly } from './close-early.ts';

/**
 * Deletes a poll of the user on the server. If it is open, it is closed early first, once per idempotency key `key`, which refunds
 * the unused responses. Returns the refunded points. A poll that is already deleted, perhaps by an attempt whose response was lost,
 * is no error. Throws what `request` throws.
 */
export async function deletePoll({ id, status }: Poll, userId: number, key: string): Promise<number> {
  const refunded =
    status === 'active' ? await closeEarly(id, userId, key).catch(ignoring('poll_closed', 'not_found')) : 0;
  await request(deleteOwnPoll, { params: { id }, userId }).catch(ignoring('not_found'));
  return refunded ?? 0;
}

function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}
