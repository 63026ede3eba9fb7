import { afterEach, expect, test, vi } from 'vitest';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';
import { dropImages } from './image-cache.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Fakes the browser's caches: by name, each with the addresses of its entries. */
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

test('every image is deleted, then their cache; other caches are kept', async () => {
  const caches = stubCaches({ [IMAGE_CACHE]: ['/uploads/a.webp', '/uploads/b.webp'], shell: ['/'] });
  const images = caches.get(IMAGE_CACHE);
  await dropImages();
  expect(images?.size).toBe(0);
  expect([...caches.keys()]).toEqual(['shell']);
});

test('a browser without caches has nothing to delete', async () => {
  await expect(dropImages()).resolves.toBeUndefined();
});
