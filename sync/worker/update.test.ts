import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let activateOnRequest: typeof import('./update.ts')['activateOnRequest'];

beforeAll(async () => {
  // Workbox needs `self` as soon as it is imported.
  vi.stubGlobal('self', globalThis);
  ({ activateOnRequest } = await import('./update.ts'));
});

afterAll(() => {
  vi.unstubAllGlobals();
});

/** Activates a worker while `openPageCount` pages are open, and returns the names of the caches that it deletes. */
async function deletedCaches(openPageCount: number): Promise<string[]> {
  const deleted: string[] = [];
  const work: Promise<unknown>[] = [];
  const activateEvent = { waitUntil: (promise: Promise<unknown>) => work.push(promise) };
  const worker = {
    addEventListener(type: string, listener: (event: typeof activateEvent) => void) {
      if (type === 'activate') listener(activateEvent);
    },
    clients: { matchAll: async () => Array.from({ length: openPageCount }), claim: async () => {} },
    caches: { delete: async (name: string) => deleted.push(name) },
  } as Partial<Record<keyof ServiceWorkerGlobalScope, unknown>> as ServiceWorkerGlobalScope;
  activateOnRequest(worker);
  await Promise.all(work);
  return deleted;
}

test('the assets of previous versions are deleted when a version activates and no page is open', async () => {
  expect(await deletedCaches(0)).toEqual(['former-shell']);
});

test('the assets of previous versions are kept for open pages when a version activates', async () => {
  expect(await deletedCaches(2)).toEqual([]);
});
