const { warn } = console;

/** Logs a failure that users need not know about. A logged error would show the application-error screen. */
export function logWarning(message: string, reason: unknown): void {
  warn(message, reason);
}
