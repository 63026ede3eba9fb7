import { afterEach, expect, test, vi } from 'vitest';
import { sharePageHandler } from './share-page.ts';

const serveShell = vi.fn(async () => new Response('shell'));

afterEach(() => {
  serveShell.mockClear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Opens a share link, for which the server responds as `fetch` does, and returns the text of the page. */
async function openShareLink(fetch: () => Promise<Response>): Promise<string> {
  vi.stubGlobal('fetch', fetch);
  const handler = sharePageHandler(serveShell);
  const request = new Request('https://app.example/s/x7Kp2mQvT9dGh0aZ_b-Xyw');
  const page = await handler({ request } as Parameters<typeof handler>[0]);
  return page.text();
}

test.each([200, 404])('a share link shows the page that the server sends with a %i', async (status) => {
  expect(await openShareLink(async () => new Response('from the server', { status }))).toBe(
    'from the server',
  );
});

test.each<[string, () => Promise<Response>]>([
  ['the server cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['a gateway responds in its place', async () => new Response('Bad Gateway', { status: 502 })],
])('a share link shows the shell of the app if %s', async (_case, fetch) => {
  expect(await openShareLink(fetch)).toBe('shell');
});

test('a share link shows the shell of the app if the server has not responded after 8 s', async () => {
  vi.useFakeTimers();
  const page = openShareLink(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(7_999);
  expect(serveShell).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await page).toBe('shell');
});
