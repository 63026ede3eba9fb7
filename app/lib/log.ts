const { warn } = console;

/** Logs a failure that the user need not know about. Not as an error, which would show the application-error screen. */
export function logWarning(what: string, reason: unknown): void {
  warn(what, reason);
}
