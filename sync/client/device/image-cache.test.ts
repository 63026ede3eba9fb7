import { afterEach, expect, test, vi } from 'vitest';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';
import { dropImages } from './image-cache.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Fakes the browser's caches. `contents`: the URLs of the entries of each cache, by its name. */
function stubCaches(contents: Record<string, string[]>) {
  const caches = new Map(Object.entries(contents).map(([name, urls]) => [name, new Set(urls)]));
  vi.stubGlobal('caches', {
    open: async (name: string) => ({
      keys: async () => [...(caches.get(name) ?? [])],
      delete: async (url: string) => caches.get(name)?.delete(url) ?? false,
    }),
    delete: async (name: string) => caches.delete(name),
  });
  return caches;
}

test('dropImages deletes all images and their cache, but no other cache', async () => {
  const caches = stubCaches({ [IMAGE_CACHE]: ['/uploads/a.webp', '/uploads/b.webp'], shell: ['/'] });
  const images = caches.get(IMAGE_CACHE);
  await dropImages();
  expect(images?.size).toBe(0);
  expect([...caches.keys()]).toEqual(['shell']);
});

test('dropImages causes no error in a browser without caches', async () => {
  await expect(dropImages()).resolves.toBeUndefined();
});
