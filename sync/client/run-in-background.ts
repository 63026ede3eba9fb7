/**
 * Ignores a failure of `work`, which nobody awaits, for example after a database was closed: the next trigger or the watchdog
 * repeats the work.
 */
export function runInBackground(work: Promise<unknown>): void {
  work.catch(() => {});
}
