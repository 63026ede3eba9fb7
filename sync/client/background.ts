/**
 * Lets work go on that nobody waits for. It may fail when its database is closed or lost; whatever it was meant to
 * do is looked at again at the next trigger or by the watchdog.
 */
export function background(work: Promise<unknown>): void {
  work.catch(() => {});
}
