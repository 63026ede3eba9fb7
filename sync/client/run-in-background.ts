/** Ignores a failure of `work`, for example of a closed database: the next trigger or the watchdog repeats the work. */
export function runInBackground(work: Promise<unknown>): void {
  work.catch(() => {});
}
