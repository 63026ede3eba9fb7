export const LIVE_PATH = '/ws';
/** Query parameter of the upgrade request: the id of the user that the client believes to be logged in. */
export const LIVE_USER_QUERY_PARAM = 'user';

/** How often a client pings the server. */
export const PING_INTERVAL_MS = 30_000;
export const RECONNECT_DELAY_MS = 5_000;
/** The minimum time between two messages about the votes of a poll, or about the points or the notifications of a user. */
export const LIVE_UPDATE_THROTTLE_MS = 1_000;

/**
 * WebSocket close codes of the server. `REPLACED`: the user has opened too many sockets, and this is the oldest.
 * `SESSION_ENDED`: the session is no longer valid; reconnect after the next login.
 */
export const SOCKET_CLOSE_CODES = {
  GOING_AWAY: 1001,
  POLICY_VIOLATION: 1008,
  REPLACED: 4001,
  SESSION_ENDED: 4401,
} as const;
