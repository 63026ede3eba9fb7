import {
  CONNECTION_RESTORED_DURATION_MS,
  HEALTH_ATTEMPTS_MAX,
  HEALTH_INTERVAL_MS,
} from '#shared/connection.ts';

/**
 * Whether the server can be reached.
 * - `checking`: the first health check is running
 * - `connected`: no sign of a problem
 * - `disconnected`: `attempt` checks of this round have failed (0 at its start), and another check follows
 * - `failed`: the last check of the round has failed
 * - `restored`: the server can be reached again; becomes `connected` after a few seconds
 */
export type ConnectionState =
  | { phase: 'checking' }
  | { phase: 'connected' }
  | { phase: 'disconnected'; attempt: number }
  | { phase: 'failed' }
  | { phase: 'restored' };

/** Whether the server counts as reachable. */
export function isReachable({ phase }: ConnectionState): boolean {
  return phase === 'connected' || phase === 'restored';
}

/**
 * The events that change the state.
 * - `trouble`: a request failed, a socket was lost, or the browser went offline
 * - `signal`: the browser came online, the app became visible, or the user asks for a check; starts a new round if the server
 *   was unreachable
 * - `reached`: the server responded to a request
 * - `check_failed`: a health check got no response from the server
 * - `timer`: the `timerMs` of the last step have passed
 */
export type ConnectionEvent = 'trouble' | 'signal' | 'reached' | 'check_failed' | 'timer';

/**
 * The next state, and what to do then: start a health check (`check`), or report `timer` after `timerMs` milliseconds.
 */
export type ConnectionStep = { state: ConnectionState; check?: true; timerMs?: number };

/** The state machine of the connection monitor, as a pure function. Returns null if `event` changes nothing. */
export function connectionStep(state: ConnectionState, event: ConnectionEvent): ConnectionStep | null {
  switch (event) {
    case 'trouble':
      if (!isReachable(state)) return null;
      return { state: state.phase === 'restored' ? { phase: 'connected' } : state, check: true };
    case 'signal':
      return {
        state:
          state.phase === 'disconnected' || state.phase === 'failed'
            ? { phase: 'disconnected', attempt: 0 }
            : state,
        check: true,
      };
    case 'reached':
      return reached(state);
    case 'check_failed':
      return checkFailed(state);
    case 'timer':
      if (state.phase === 'restored') return { state: { phase: 'connected' } };
      return state.phase === 'disconnected' ? { state, check: true } : null;
  }
}

function reached(state: ConnectionState): ConnectionStep | null {
  switch (state.phase) {
    case 'connected':
    case 'restored':
      return null;
    case 'checking':
      return { state: { phase: 'connected' } };
    case 'disconnected':
    case 'failed':
      return { state: { phase: 'restored' }, timerMs: CONNECTION_RESTORED_DURATION_MS };
  }
}

function checkFailed(state: ConnectionState): ConnectionStep | null {
  if (state.phase === 'failed') return null;
  const attempt = state.phase === 'disconnected' ? state.attempt + 1 : 1;
  if (attempt >= HEALTH_ATTEMPTS_MAX) return { state: { phase: 'failed' } };
  return { state: { phase: 'disconnected', attempt }, timerMs: HEALTH_INTERVAL_MS };
}
