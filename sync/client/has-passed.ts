/**
 * Whether a stored time has passed. A time more than `longestAheadMs` in the future was stored before the device's clock was
 * set back, and counts as passed, too.
 */
export function hasPassed(atMs: number, nowMs: number, longestAheadMs: number): boolean {
  return atMs <= nowMs || atMs > nowMs + longestAheadMs;
}
