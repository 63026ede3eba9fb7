/** A page that is looked at sends within this time, unless it has no network either. */
const PAGE_SENDS_WITHIN_MS = 5_000;

async function isLookedAt(worker: ServiceWorkerGlobalScope): Promise<boolean> {
  const pages = await worker.clients.matchAll({ type: 'window' });
  return pages.some((page) => page.visibilityState === 'visible');
}

/**
 * Whether a page sends what waits. One that is looked at sends for itself, and tells the person what became of it. If
 * it has not done so after a while this throws, so that the browser wakes the worker again: by then the page may be
 * closed.
 */
export async function isLeftToPage(
  worker: ServiceWorkerGlobalScope,
  somethingWaits: () => Promise<boolean>,
): Promise<boolean> {
  if (!(await isLookedAt(worker))) return false;
  if (!(await somethingWaits())) return true;
  await new Promise((resolve) => setTimeout(resolve, PAGE_SENDS_WITHIN_MS));
  if (!(await somethingWaits())) return true;
  if (await isLookedAt(worker)) throw new Error('Changes still wait to be sent by a page');
  return false;
}
