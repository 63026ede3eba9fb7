import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** As many images as the cache may contain. */
const CACHED_IMAGES_MAX = 500;

/** An event of the service worker, with the work that it waits for. */
class FakeFetchEvent extends Event {
  readonly work: Promise<unknown>[] = [];
  waitUntil(work: Promise<unknown>): void {
    this.work.push(work);
  }
}

const stored = new Map<string, Response>();
const cache = {
  match: async ({ url }: Request) => stored.get(url)?.clone(),
  put: async ({ url }: Request, response: Response) => void stored.set(url, response),
  delete: async (url: string) => stored.delete(url),
};

beforeEach(() => {
  // Workbox needs `self` as soon as it is imported.
  vi.stubGlobal('self', globalThis);
  vi.stubGlobal('location', new URL('https://app.example/'));
  vi.stubGlobal('ExtendableEvent', FakeFetchEvent);
  vi.stubGlobal('FetchEvent', FakeFetchEvent);
  vi.stubGlobal('caches', { open: async () => cache, match: cache.match });
  vi.stubGlobal('fetch', async () => new Response('image'));
  // Workbox logs each request.
  for (const method of ['debug', 'log', 'groupCollapsed', 'groupEnd'] as const)
    vi.spyOn(console, method).mockImplementation(() => {});
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('at most 500 images are cached, and the image that was not used for the longest time is deleted first', async () => {
  const { CacheExpiration } = await import('workbox-expiration');
  const { imageRoute } = await import('./images.ts');
  const expirations: Promise<void>[] = [];
  const { expireEntries } = CacheExpiration.prototype;
  vi.spyOn(CacheExpiration.prototype, 'expireEntries').mockImplementation(function (
    this: typeof CacheExpiration.prototype,
  ) {
    const expiration = expireEntries.call(this);
    expirations.push(expiration);
    return expiration;
  });
  const { handler } = imageRoute();
  const load = async (name: string) => {
    const url = new URL(`/uploads/${name}`, location.href);
    const event = new FakeFetchEvent('fetch');
    await handler.handle({ url, request: new Request(url), event: event as Event as ExtendableEvent });
    await Promise.all(event.work);
  };
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 1_000);
  await load('oldest.webp');
  now.mockRestore();
  await Promise.all(Array.from({ length: CACHED_IMAGES_MAX }, (_, index) => load(`${index}.webp`)));
  // Workbox does not wait for the last ones, which need the stubs.
  while (expirations.length > 0) await Promise.all(expirations.splice(0));
  expect(stored.size).toBe(CACHED_IMAGES_MAX);
  expect([...stored.keys()]).not.toContain('https://app.example/uploads/oldest.webp');
});
