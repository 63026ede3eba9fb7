const { warn } = console;

/** Notes in the browser's console what the person need not be told. Not as an error: the fault screen listens to those. */
export function logQuietly(what: string, reason: unknown): void {
  warn(what, reason);
}
