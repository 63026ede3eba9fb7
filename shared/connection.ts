/** The pause between health checks while the server cannot be reached, and after how many of them the app stops checking. */
export const HEALTH_INTERVAL_MS = 5_000;
export const HEALTH_ATTEMPTS_MAX = 5;
/** How long "Connection Restored" is shown. */
export const CONNECTION_RESTORED_DURATION_MS = 4_000;
