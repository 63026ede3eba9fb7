import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as accounts from '#shared/accounts/contract.ts';
import { readHealth } from '#shared/service/contract.ts';
import { request } from './api-client.ts';

const LOGIN = { username: 'mara', password: 'secret horse' };
let calls: { path: string; init: RequestInit }[];
let respond: () => Response;

beforeEach(() => {
  calls = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    calls.push({ path, init });
    return respond();
  });
});
afterEach(() => vi.unstubAllGlobals());

function errorBody(message: string, code: string): string {
  return JSON.stringify({ message, code, requestId: 'r1' });
}

test('an error response is thrown with its status and text', async () => {
  respond = () => new Response(errorBody('Invalid credentials', 'invalid_credentials'), { status: 401 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('401: Invalid credentials');
  respond = () => new Response('Upstream is unavailable', { status: 502 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('502: Upstream is unavailable');
});

test('an error response without a body is thrown with its status text, or else only its status', async () => {
  respond = () => new Response(null, { status: 503, statusText: 'Service Unavailable' });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('503: Service Unavailable');
  respond = () => new Response(null, { status: 503 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('API error: 503');
});

test('a call is sent as JSON with cookies for the same origin only, and is not retried after a failure', async () => {
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  await expect(request(accounts.register, { json: { ...LOGIN, email: 'm@example.org' } })).rejects.toThrow(
    'could not be reached',
  );
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    path: '/api/register',
    init: {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...LOGIN, email: 'm@example.org' }),
      credentials: 'same-origin',
      cache: 'no-store',
    },
  });
});

test('a response without a body resolves to undefined', async () => {
  respond = () => new Response(null, { status: 204 });
  expect(await request(accounts.endOtherSessions, {})).toBeUndefined();
});

test('a page that a captive portal sends is not accepted as a response', async () => {
  respond = () => new Response('<html>Log in to this network</html>', { status: 200 });
  await expect(request(readHealth, {})).rejects.toThrow('does not match its schema');
  await expect(request(accounts.endOtherSessions, {})).rejects.toThrow('has a body');
});

test('a call with a user id sends the id in the header X-Expected-User', async () => {
  respond = () => new Response(errorBody('Somebody else is logged in', 'actor_mismatch'), { status: 409 });
  await expect(request(accounts.updateUser, { json: { username: 'mara' }, userId: 7 })).rejects.toThrow(
    '409',
  );
  await expect(request(accounts.resendVerification, { userId: 7 })).rejects.toThrow('409');
  const headers = { 'Content-Type': 'application/json', 'X-Expected-User': '7' };
  expect(calls).toMatchObject([
    { path: '/api/user', init: { method: 'PATCH', headers } },
    { path: '/api/resend-verification', init: { method: 'POST', headers } },
  ]);
});

test('a call times out after 15 s, or after the given timeout', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  respond = () => new Response('{"message":"Done."}');
  await request(accounts.resendVerification, {});
  await request(accounts.resendVerification, { timeoutMs: 130_000 });
  expect(timeout.mock.calls).toEqual([[15_000], [130_000]]);
  timeout.mockRestore();
});
