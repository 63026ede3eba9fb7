export const LIVE_PATH = '/ws';
/** Names, in the query of the upgrade, whom the device believes to be signed in. */
export const LIVE_USER_PARAMETER = 'user';

export const PING_INTERVAL_MS = 30_000;
export const RECONNECT_DELAY_MS = 5_000;
/** A poll's votes are told at most once in this time, and so are a user's points. */
export const LIVE_INTERVAL_MS = 1_000;

/**
 * Why the server closes a socket. `REPLACED`: the user opened one too many elsewhere. `SESSION_ENDED`: whoever
 * logs in again gets another one.
 */
export const CLOSE_CODES = {
  GOING_AWAY: 1001,
  POLICY: 1008,
  REPLACED: 4001,
  SESSION_ENDED: 4401,
} as const;
