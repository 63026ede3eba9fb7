import { countLabel } from '#app/lib/count-label.ts';
import type { OutboxCounts } from '#app/lib/engine/user-query.ts';
import { HEALTH_ATTEMPTS_MAX } from '#shared/connection.ts';
import type { ConnectionState } from '#sync/client/connection.ts';

/** The texts of the connection card. `outbox` is the text of its link to the outbox; null if it has no link. */
export type ConnectionMessage = { title: string; text: string | null; outbox: string | null };

/** The message for `state`; null when there is no card to show. `counts` is null while nobody is logged in. */
export function connectionMessage(
  state: ConnectionState,
  counts: OutboxCounts | null,
): ConnectionMessage | null {
  if (state.phase === 'checking' || state.phase === 'connected') return null;
  if (state.phase === 'restored') return { title: 'Connection Restored', ...restoredMessage(counts) };
  const waiting = counts?.waiting ?? 0;
  const outbox = waiting === 0 ? null : `${countLabel(waiting, 'change')} waiting`;
  if (state.phase === 'failed') {
    const text = 'Unable to connect to the server. Please try refreshing the page.';
    return { title: 'Connection Failed', text, outbox };
  }
  const text =
    state.attempt === 0 ? 'Reconnecting' : `Reconnecting, attempt ${state.attempt} of ${HEALTH_ATTEMPTS_MAX}`;
  return { title: 'Connection Issue', text, outbox };
}

function restoredMessage(counts: OutboxCounts | null): Omit<ConnectionMessage, 'title'> {
  // While nobody is logged in, changes that wait for the next login are not counted.
  if (counts === null) return { text: null, outbox: null };
  const { waiting, needsDecision } = counts;
  if (waiting > 0) return { text: `Sending ${countLabel(waiting, 'change')} now.`, outbox: null };
  if (needsDecision === 0) return { text: 'Everything has been sent.', outbox: null };
  return { text: 'Some changes were refused', outbox: `${countLabel(needsDecision, 'change')} to review` };
}
