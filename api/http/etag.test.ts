import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import type { AppEnv } from './app-env.ts';
import { JsonText, jsonWithEtag, matchesEtag } from './etag.ts';

test('an unchanged body gets 304, and a changed body is sent', async () => {
  let body = { votes: 1 };
  const app = new Hono<AppEnv>().get('/', (c) => jsonWithEtag(c, body));
  const first = await app.request('/');
  expect(await first.json()).toEqual({ votes: 1 });
  expect(first.headers.get('Cache-Control')).toBe('private, no-cache');

  const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
  expect((await app.request('/', { headers })).status).toBe(304);
  body = { votes: 2 };
  const changed = await app.request('/', { headers });
  expect(changed.status).toBe(200);
  expect(await changed.json()).toEqual({ votes: 2 });
});

test('a body with a version is only built for a client without that version', async () => {
  const write = vi.fn(() => '{"votes":1}');
  const app = new Hono<AppEnv>().get('/', (c) => jsonWithEtag(c, new JsonText('one', write)));
  expect((await app.request('/', { headers: { 'If-None-Match': '"one"' } })).status).toBe(304);
  expect(write).not.toHaveBeenCalled();
  const response = await app.request('/');
  expect([response.headers.get('ETag'), await response.json()]).toEqual(['"one"', { votes: 1 }]);
  expect(response.headers.get('Content-Type')).toBe('application/json');
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
])('If-None-Match %s matches "a": %s', (header, expected) => {
  expect(matchesEtag(header, '"a"')).toBe(expected);
});
