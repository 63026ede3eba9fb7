/**
 * Ignores a failure of `work`, which nobody awaits, for example after a database was closed. What matters is repeated by a
 * later trigger, such as the drain that starts at least every 30 seconds.
 */
export function runInBackground(work: Promise<unknown>): void {
  work.catch(() => {});
}
