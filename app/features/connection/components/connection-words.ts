import type { OutboxCounts } from '#app/lib/engine/outbox-counts.ts';
import { changesLabel } from '#app/lib/engine/outbox-words.ts';
import { HEALTH_ATTEMPTS_MAX } from '#shared/connection.ts';
import type { ConnectionState } from '#sync/client/connection.ts';

/**
 * What the card says; null while there is nothing to say. `outbox` is what is to be seen there, and leads there.
 */
export type ConnectionWords = { title: string; text: string | null; outbox: string | null };

/** The card's words for `state` with so many changes in the outbox; `counts` is null while nobody is logged in. */
export function connectionWords(state: ConnectionState, counts: OutboxCounts | null): ConnectionWords | null {
  const waiting = counts?.waiting ?? 0;
  const waitingLine = waiting === 0 ? null : `${changesLabel(waiting)} waiting`;
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
      return {
        title: 'Connection Restored',
        ...restoredWords(counts),
      };
  }
}

/** That all was sent is only claimed when nothing came back. */
function restoredWords(counts: OutboxCounts | null): Omit<ConnectionWords, 'title'> {
  // Changes that an account keeps for its next login are not looked at.
  if (counts === null) return { text: null, outbox: null };
  const { waiting, needsYou } = counts;
  if (waiting > 0) return { text: `Sending ${changesLabel(waiting)} now.`, outbox: null };
  if (needsYou === 0) return { text: 'Everything is sent.', outbox: null };
  return { text: 'Not everything was taken', outbox: `${changesLabel(needsYou)} to look at` };
}
