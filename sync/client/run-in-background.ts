/**
 * Lets `work` run and ignores its failure, for example after a database was closed: the next trigger or the watchdog repeats
 * it.
 */
export function runInBackground(work: Promise<unknown>): void {
  work.catch(() => {});
}
