import { changesLabel } from '#app/lib/outbox-counts.ts';
import { HEALTH_ATTEMPTS_MAX } from '#shared/connection.ts';
import type { ConnectionState } from '#sync/client/connection.ts';

/**
 * What the card says; null while there is nothing to say. `waiting` is a line of its own that leads to the
 * outbox.
 */
export type ConnectionWords = { title: string; text: string | null; waiting: string | null };

/** The card's words for `state` with so many changes in the outbox. */
export function connectionWords(state: ConnectionState, waiting: number): ConnectionWords | null {
  const waitingLine = waiting === 0 ? null : `${changesLabel(waiting)} waiting`;
  switch (state.phase) {
    case 'checking':
    case 'connected':
      return null;
    case 'disconnected':
      return {
        title: 'Connection Issue',
        text: state.attempt === 0 ? 'Trying again' : `Try ${state.attempt} of ${HEALTH_ATTEMPTS_MAX}`,
        waiting: waitingLine,
      };
    case 'failed':
      return {
        title: 'Connection Failed',
        text: 'Unable to connect to the server. Please try refreshing the page.',
        waiting: waitingLine,
      };
    case 'restored':
      return {
        title: 'Connection Restored',
        text: waiting === 0 ? 'Everything is sent.' : `Sending ${changesLabel(waiting)} now.`,
        waiting: null,
      };
  }
}
