import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as accounts from '#shared/accounts/contract.ts';
import { readHealth } from '#shared/service/contract.ts';
import { request } from './api-client.ts';

const LOGIN = { username: 'mara', password: 'secret horse' };
let calls: { path: string; init: RequestInit }[];
let answer: () => Response;

beforeEach(() => {
  calls = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    calls.push({ path, init });
    return answer();
  });
});
afterEach(() => vi.unstubAllGlobals());

function errorBody(message: string, code: string): string {
  return JSON.stringify({ message, code, requestId: 'r1' });
}

test('an answer that is not OK is an error of its status and its text', async () => {
  answer = () => new Response(errorBody('Invalid credentials', 'invalid_credentials'), { status: 401 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('401: Invalid credentials');
  answer = () => new Response('Upstream is away', { status: 502 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('502: Upstream is away');
});

test('an answer without a text tells the text of its status, or its status alone', async () => {
  answer = () => new Response(null, { status: 503, statusText: 'Service Unavailable' });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('503: Service Unavailable');
  answer = () => new Response(null, { status: 503 });
  await expect(request(accounts.logIn, { json: LOGIN })).rejects.toThrow('API error: 503');
});

test('a call is made once, whatever becomes of it, in JSON and with the cookies of this site alone', async () => {
  answer = () => {
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

test('an answer without a body is nothing', async () => {
  answer = () => new Response(null, { status: 204 });
  expect(await request(accounts.endOtherSessions, {})).toBeUndefined();
});

test('a page that is not the server’s is no answer', async () => {
  answer = () => new Response('<html>Log in to this network</html>', { status: 200 });
  await expect(request(readHealth, {})).rejects.toThrow('did not answer as the server does');
});

test('a call for somebody’s account names them', async () => {
  answer = () => new Response(errorBody('Somebody else is logged in', 'actor_mismatch'), { status: 409 });
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

test('an answer is waited for 15 s, or as long as the caller says', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  answer = () => new Response('{"message":"Done."}');
  await request(accounts.resendVerification, {});
  await request(accounts.resendVerification, { timeoutMs: 130_000 });
  expect(timeout.mock.calls).toEqual([[15_000], [130_000]]);
  timeout.mockRestore();
});
