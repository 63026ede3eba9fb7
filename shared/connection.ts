export const HEALTH_INTERVAL_MS = 5_000;
export const HEALTH_ATTEMPTS_MAX = 5;
/** "Connection Restored" stays on the screen this long. */
export const RESTORED_SHOWN_MS = 4_000;
