import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';

const { app, deps } = await createTestApp();
const ownOrigin = deps.env.publicUrl;

async function logOut(headers: Record<string, string>): Promise<number> {
  return (await app.request('/api/logout', { method: 'POST', headers })).status;
}

test.each<[string, Record<string, string>]>([
  ['our own page', { 'Sec-Fetch-Site': 'same-origin', Origin: ownOrigin }],
  ['our own page at its IP address', { Origin: 'http://127.0.0.1:3000' }],
  ['an older browser, which sends only Origin', { Origin: ownOrigin }],
  ['a browser that sends only Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-origin' }],
  ['a program that sends neither header', {}],
])('allows changes from %s', async (_, headers) => {
  expect(await logOut(headers)).toBe(204);
});

test.each<[string, Record<string, string>]>([
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  ['a sibling domain', { 'Sec-Fetch-Site': 'same-site', Origin: ownOrigin }],
  ['the address bar or a bookmark', { 'Sec-Fetch-Site': 'none' }],
  [
    'a forged Sec-Fetch-Site with a foreign Origin',
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
  ],
  ['another port', { Origin: 'http://localhost:3001' }],
  ['https instead of http', { Origin: 'https://localhost:3000' }],
  ['a sandboxed frame', { Origin: 'null' }],
  ['an origin that only starts with ours', { Origin: `${ownOrigin}.evil.example` }],
])('rejects changes from %s', async (_, headers) => {
  const response = await app.request('/api/logout', { method: 'POST', headers });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 'bad_origin' });
});

test.each([
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json',
])('another site cannot log a user in with the content type %s', async (contentType) => {
  const response = await app.request('/api/login', {
    method: 'POST',
    headers: { 'Content-Type': contentType, 'Sec-Fetch-Site': 'cross-site' },
    body: JSON.stringify({ username: 'mara', password: 'x' }),
  });
  expect(response.status).toBe(403);
});

test('allows cross-site reads', async () => {
  const response = await app.request('/api/health', { headers: { 'Sec-Fetch-Site': 'cross-site' } });
  expect(response.status).toBe(200);
});
