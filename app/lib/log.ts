const { warn } = console;

/** Logs a failure that users need not know about. A logged error would show the application-error screen. */
export function logWarning(what: string, reason: unknown): void {
  warn(what, reason);
}
