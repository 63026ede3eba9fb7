import { request } from '#app/lib/api/api-client.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { closePoll } from '#shared/polls/contract.ts';

/**
 * Closes a poll early, once per idempotency key `key`, then pulls the poll and refreshes the user, ignoring failures. Returns the
 * refunded points. Throws what `request` throws.
 */
export async function closeEarly(pollId: string, userId: number, key: string): Promise<number> {
  const { refunded } = await request(closePoll, {
    params: { id: pollId },
    headers: { [IDEMPOTENCY_KEY_HEADER]: key },
    userId,
  });
  const refreshing = loadEngine().then((engine) =>
    Promise.all([engine.pullPoll(pollId), engine.refreshUser()]),
  );
  await refreshing.catch(() => undefined);
  return refunded;
}
