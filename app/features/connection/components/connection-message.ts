import { countLabel } from '#app/lib/count-label.ts';
import type { OutboxCounts } from '#app/lib/engine/user-query.ts';
import { HEALTH_ATTEMPTS_MAX } from '#shared/connection.ts';
import type { ConnectionState } from '#sync/client/connection.ts';

/** The text of the connection card. `outbox` is the text of its link to the outbox, null without one. */
export type ConnectionMessage = { title: string; text: string | null; outbox: string | null };

/** The message for `state`; null when there is no card to show. `counts` is null while nobody is logged in. */
export function connectionMessage(
  state: ConnectionState,
  counts: OutboxCounts | null,
): ConnectionMessage | null {
  const waiting = counts?.waiting ?? 0;
  const waitingLine = waiting === 0 ? null : `${countLabel(waiting, 'change')} waiting`;
  switch (state.phase) {
    case 'checking':
    case 'connected':
      return null;
    case 'disconnected':
      return {
        title: 'Connection Issue',
        text: state.attempt === 0 ? 'Trying again' : `Try ${state.attempt} of ${HEALTH_ATTEMPTS_MAX}`,
        outbox: waitingLine,
      };
    case 'failed':
      return {
        title: 'Connection Failed',
        text: 'Unable to connect to the server. Please try refreshing the page.',
        outbox: waitingLine,
      };
    case 'restored':
      return { title: 'Connection Restored', ...restoredMessage(counts) };
  }
}

function restoredMessage(counts: OutboxCounts | null): Omit<ConnectionMessage, 'title'> {
  // Nothing is known of changes that an account keeps for its next login.
  if (counts === null) return { text: null, outbox: null };
  const { waiting, needsYou } = counts;
  if (waiting > 0) return { text: `Sending ${countLabel(waiting, 'change')} now.`, outbox: null };
  if (needsYou === 0) return { text: 'Everything has been sent.', outbox: null };
  return { text: 'Some changes were refused', outbox: `${countLabel(needsYou, 'change')} to review` };
}
