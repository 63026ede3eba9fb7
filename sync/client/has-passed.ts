/**
 * Whether a stored time has passed. A time further ahead than `longestAheadMs` was stored before the device's clock was set
 * back; it counts as passed, too.
 */
export function hasPassed(atMs: number, nowMs: number, longestAheadMs: number): boolean {
  return atMs <= nowMs || atMs > nowMs + longestAheadMs;
}
