import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { SHARE_TARGET, SHARE_TARGET_SCREENS } from '#shared/service/constants.ts';

const { app } = await createTestApp();

/** A form that never ends, and how much of it was read. */
function endlessForm() {
  let chunksRead = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunksRead += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  return { body, chunksRead: () => chunksRead };
}

test.each<[string, Record<string, string>]>([
  ['the operating system', { 'Sec-Fetch-Site': 'none', Origin: 'null' }],
  ['a page of this site', { 'Sec-Fetch-Site': 'same-origin' }],
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
])(
  'a post of photos by %s without a service worker redirects to a new poll without reading the body',
  async (_, headers) => {
    const { body, chunksRead } = endlessForm();
    const response = await app.request(SHARE_TARGET.path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toBe(SHARE_TARGET_SCREENS.notStored);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Set-Cookie')).toBeNull();
    // A stream buffers one chunk before it is read.
    expect(chunksRead()).toBeLessThanOrEqual(1);
  },
);

test('PUT, DELETE and PATCH of the share target get 404', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    expect((await app.request(SHARE_TARGET.path, { method })).status).toBe(404);
  }
});
