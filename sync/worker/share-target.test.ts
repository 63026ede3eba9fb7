import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SHARE_TARGET, SHARE_TARGET_SCREENS } from '#shared/service/constants.ts';
import { HOUR_MS } from '#shared/time.ts';
import { dropReceivedPhotos, readReceivedPhotos } from '#sync/client/device/received-photos.ts';
import { receivePhotos } from './share-target.ts';

/** A fake of the browser's caches with the functions that received photos need. `isFull`: whether storing fails. */
function fakeCaches() {
  const stored = new Map<string, Map<string, Response>>();
  const state = { isFull: false };
  const open = async (name: string) => {
    const entries = stored.get(name) ?? new Map<string, Response>();
    stored.set(name, entries);
    return {
      async put(path: string, response: Response) {
        if (state.isFull) throw new DOMException('full', 'QuotaExceededError');
        entries.set(path, response);
      },
      delete: async (path: string) => entries.delete(path),
    };
  };
  const match = async (path: string, { cacheName }: { cacheName: string }) =>
    stored.get(cacheName)?.get(path)?.clone();
  return { state, api: { open, match, delete: async (name: string) => stored.delete(name) } };
}

let state: { isFull: boolean };

beforeEach(() => {
  const caches = fakeCaches();
  state = caches.state;
  vi.stubGlobal('caches', caches.api);
  // `Response.redirect` of Node accepts absolute URLs only.
  vi.spyOn(Response, 'redirect').mockImplementation(
    (to, status) => new Response(null, { status: status ?? 302, headers: { Location: String(to) } }),
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const photo = (name: string, bytes = 'bytes') => new File([bytes + name], name, { type: 'image/jpeg' });

async function share(...files: File[]): Promise<string | null> {
  const body = new FormData();
  for (const file of files) body.append(SHARE_TARGET.field, file);
  const url = new URL(SHARE_TARGET.path, 'https://app.example');
  const request = new Request(url, { method: 'POST', body });
  const response = await receivePhotos(request);
  expect(response.status).toBe(303);
  return response.headers.get('Location');
}

test('shared photos are stored in order until they are dropped', async () => {
  expect(await share(photo('a.jpg'), photo('b.jpg'))).toBe(SHARE_TARGET_SCREENS.received);
  const received = await readReceivedPhotos();
  expect(received?.count).toBe(2);
  expect(received?.files.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'a.jpg image/jpeg',
    'b.jpg image/jpeg',
  ]);
  expect(await received?.files[1]?.text()).toBe('bytesb.jpg');
  expect((await readReceivedPhotos())?.count).toBe(2);
  await dropReceivedPhotos();
  expect(await readReceivedPhotos()).toBeNull();
});

test('the first two photos and the count are stored if more than two photos are shared', async () => {
  await share(...['a', 'b', 'c', 'd', 'e'].map((name) => photo(name)));
  const received = await readReceivedPhotos();
  expect(received?.count).toBe(5);
  expect(received?.files.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('photos shared later replace earlier photos even if there is no space for them', async () => {
  await share(photo('a'), photo('b'));
  await share(photo('c'));
  expect((await readReceivedPhotos())?.files.map(({ name }) => name)).toEqual(['c']);
  state.isFull = true;
  expect(await share(photo('d'))).toBe(SHARE_TARGET_SCREENS.notStored);
  expect(await readReceivedPhotos()).toBeNull();
});

test('nothing is stored if no file was shared', async () => {
  expect(await share()).toBe(SHARE_TARGET_SCREENS.notStored);
  // A browser submits a field without a file like this. Node would change the empty name in a real request.
  const form = new FormData();
  form.append(SHARE_TARGET.field, new File([], ''));
  const response = await receivePhotos({ formData: async () => form } as Request);
  expect(response.headers.get('Location')).toBe(SHARE_TARGET_SCREENS.notStored);
  expect(await readReceivedPhotos()).toBeNull();
});

test('received photos expire after an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await share(photo('a'));
  vi.setSystemTime(Date.now() + HOUR_MS - 1);
  expect((await readReceivedPhotos())?.count).toBe(1);
  vi.setSystemTime(Date.now() + 1);
  expect(await readReceivedPhotos()).toBeNull();
});
