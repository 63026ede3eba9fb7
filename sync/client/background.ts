/** Ignores the failure of `work` (of a closed database, say): the next trigger or the watchdog repeats it. */
export function background(work: Promise<unknown>): void {
  work.catch(() => {});
}
