import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { securityHeaders } from '#api/http/server/security-headers.ts';
import { connect, serveLive, upgradeErrorOf } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';

const app = await createTestApp();
const address = await serveLive(app);
const origin = app.deps.env.publicUrl;
let maker: TestUser;
let voter: TestUser;

beforeAll(async () => {
  maker = await app.signUp();
  voter = await app.signUp();
});

test('without a session the response is 401 with the usual error body', async () => {
  const upgradeError = await upgradeErrorOf(connect(address, null));
  expect(upgradeError.status).toBe(401);
  expect(upgradeError.headers).toMatchObject(securityHeaders(app.deps.env));
  expect(await upgradeError.body()).toMatchObject({ code: 'unauthenticated', requestId: expect.any(String) });
});

test.each([
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
])('a request from another site with the headers %o gets 403', async (headers) => {
  const upgradeError = await upgradeErrorOf(connect(address, voter, { headers }));
  expect(upgradeError.status).toBe(403);
  expect(await upgradeError.body()).toMatchObject({ code: 'bad_origin' });
});

test('a page of this site can open a socket', async () => {
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  const { ws } = await connect(address, voter, { headers });
  // Without compression.
  expect(ws.extensions).toBe('');
  ws.close();
});

test('a device that expects another user gets 409', async () => {
  const upgradeError = await upgradeErrorOf(connect(address, voter, { path: `/ws?user=${maker.user.id}` }));
  expect(upgradeError.status).toBe(409);
  expect(await upgradeError.body()).toMatchObject({ code: 'actor_mismatch' });
  const { ws } = await connect(address, voter, { path: `/ws?user=${voter.user.id}` });
  ws.close();
});

test('other paths accept no sockets, and a request to /ws without an upgrade gets an error', async () => {
  expect((await upgradeErrorOf(connect(address, voter, { path: '/api/health' }))).status).toBe(200);
  expect((await upgradeErrorOf(connect(address, voter, { path: '/wsx' }))).status).toBe(404);
  expect((await voter.get('/ws')).status).toBe(400);
});

test('a request to upgrade to another protocol gets an ordinary response', async () => {
  const headers = { Connection: 'Upgrade', Upgrade: 'h2c' };
  const [response]: IncomingMessage[] = await once(get(`${address}/api/health`, { headers }), 'response');
  expect(response?.statusCode).toBe(200);
  response?.resume();
});

test.each([
  { 'Sec-WebSocket-Version': '12', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'short' },
  { 'Sec-WebSocket-Version': '13' },
])('an invalid handshake gets 400: %o', async (handshake) => {
  const cookie = [...voter.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const upgradeRequest = request(`${address}/ws`, {
    headers: { Connection: 'Upgrade', Upgrade: 'websocket', Cookie: cookie, ...handshake },
  }).end();
  const [response]: IncomingMessage[] = await once(upgradeRequest, 'response');
  expect(response?.statusCode).toBe(400);
  response?.resume();
});

test('a client that disconnects at once causes no error', async () => {
  for (let count = 0; count < 20; count++) {
    const socket = connectTcp(Number(new URL(address).port), '127.0.0.1');
    socket.write('GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    // Time for the request to reach the server.
    await sleep(2);
    socket.resetAndDestroy();
  }
  expect((await fetch(`${address}/api/health`)).status).toBe(200);
});
