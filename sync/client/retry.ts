import { RETRY_AFTER_MAX_MS } from '#sync/protocol/outcome.ts';

const BASE_MS = 1_000;
const CAP_MS = 30_000;

/**
 * How long to wait before the next attempt, in milliseconds: full jitter over a doubling window, or what the
 * server asked for. `attempts` counts those made so far, `random` is from 0 up to 1.
 */
export function retryDelayMs(attempts: number, retryAfterMs: number | null, random: number): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  const windowMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempts - 1));
  return Math.round(random * windowMs);
}

/**
 * Whether a stored moment has come. One further off than any wait this engine ever sets was stored by a clock
 * that has been put back since, and counts as come.
 */
export function isDue(atMs: number, nowMs: number, longestWaitMs = RETRY_AFTER_MAX_MS): boolean {
  return atMs <= nowMs || atMs > nowMs + longestWaitMs;
}
