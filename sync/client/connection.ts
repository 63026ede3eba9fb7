import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS, RESTORED_SHOWN_MS } from '#shared/connection.ts';

/**
 * What the app knows of the way to the server.
 * - `checking`: the one check at start is under way
 * - `connected`: nothing suggests trouble
 * - `disconnected`: `attempt` of the checks has failed, the next follows; 0 when a new round has just begun
 * - `failed`: the last check has failed; only a regained signal or the person starts again
 * - `restored`: connected again, for as long as that is news
 */
export type ConnectionState =
  | { phase: 'checking' }
  | { phase: 'connected' }
  | { phase: 'disconnected'; attempt: number }
  | { phase: 'failed' }
  | { phase: 'restored' };

/**
 * - `trouble`: a request failed, a socket closed, the browser went offline
 * - `signal`: the browser came online, the app woke up, the person asked
 * - `reached`: the server answered something, a health check or anything else
 * - `check_failed`: a health check had no answer of the server's own
 * - `timer`: the time that the last step asked for has passed
 */
export type ConnectionEvent = 'trouble' | 'signal' | 'reached' | 'check_failed' | 'timer';

/** A state with what has to be done on entering it: check now, or send `timer` after so many milliseconds. */
export type ConnectionStep = { state: ConnectionState; check?: true; timerMs?: number };

/** The monitor's rules, pure: what `event` makes of `state`; null when it changes nothing. */
export function connectionStep(state: ConnectionState, event: ConnectionEvent): ConnectionStep | null {
  switch (event) {
    case 'trouble':
      return state.phase === 'connected' || state.phase === 'restored'
        ? { state: { phase: 'connected' }, check: true }
        : null;
    case 'signal':
      return {
        state: state.phase === 'failed' ? { phase: 'disconnected', attempt: 0 } : state,
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
      return { state: { phase: 'restored' }, timerMs: RESTORED_SHOWN_MS };
  }
}

function checkFailed(state: ConnectionState): ConnectionStep | null {
  if (state.phase === 'failed') return null;
  const attempt = state.phase === 'disconnected' ? state.attempt + 1 : 1;
  if (attempt >= HEALTH_ATTEMPTS_MAX) return { state: { phase: 'failed' } };
  return { state: { phase: 'disconnected', attempt }, timerMs: HEALTH_INTERVAL_MS };
}
