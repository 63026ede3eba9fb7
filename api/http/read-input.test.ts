import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const address = await serveLive(app);
const { visitor } = app;

/** Sends a login without a Content-Length, which only a real connection adds. */
function login(body: BodyInit, type = 'application/json'): Promise<Response> {
  return visitor().request('/api/login', { method: 'POST', body, headers: { 'Content-Type': type } });
}

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
  'rejects a body of type %s',
  async (type) => {
    const response = await login('{"username":"a","password":"b"}', type);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: 'unsupported_type' });
  },
);

test('accepts a content type with a charset', async () => {
  const response = await login('{"username":"a","password":"b"}', 'application/json; charset=utf-8');
  expect(response.status).toBe(401);
});

test.each(['', '{', '[]', 'null', '"text"', '12'])('rejects the body %j as invalid input', async (body) => {
  const response = await login(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_input' });
});

test('each invalid field has its own message', async () => {
  const response = await visitor().post('/api/register', { username: 'ab', email: 'x', password: '1234567' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'invalid_input',
    message: 'Username must be at least 3 characters',
    issues: [
      { path: 'username', message: 'Username must be at least 3 characters' },
      { path: 'email', message: 'Please enter a valid email' },
      { path: 'password', message: 'Password must be at least 8 characters' },
    ],
  });
});

test('rejects a body over 100 kB, with or without Content-Length', async () => {
  const large = JSON.stringify({ username: 'a', password: 'x'.repeat(110_000) });
  const length = { 'Content-Length': String(large.length) };
  for (const response of [
    await login(large),
    await visitor().post('/api/login', JSON.parse(large), length),
  ]) {
    expect([response.status, (await response.json()).code]).toEqual([413, 'too_large']);
  }
});

test.each([
  ['NUL', 'ma\u0000ra'],
  ['a lone surrogate', 'ma\ud800ra'],
])('%s in a username causes no server error', async (_, username) => {
  expect((await visitor().post('/api/login', { username, password: 'x' })).status).toBeLessThan(500);
  const availability = await visitor().get(
    `/api/check-username/${encodeURIComponent(username.toWellFormed())}`,
  );
  expect(availability.status).toBeLessThan(500);
});

test.each([
  ['without Content-Length', {}],
  ['with Content-Length', { 'Content-Length': '60' }],
])('rejects a body %s that takes longer than 30 seconds', async (_, length) => {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"username":')) }),
    headers: { 'Content-Type': 'application/json', ...length },
    duplex: 'half',
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const response = visitor().request('/api/login', init);
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await response).status).toBe(400);
    expect(await (await response).json()).toMatchObject({ message: 'The body took too long to arrive.' });
  } finally {
    vi.useRealTimers();
  }
});

test('the server still responds after a client has disconnected in the middle of a body', async () => {
  const { hostname, port, host, origin } = new URL(address);
  const headers = 'Content-Type: application/json\r\nContent-Length: 60';
  for (const sent of ['', '{"username":']) {
    const socket = connect(Number(port), hostname);
    socket.write(`POST /api/login HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n${sent}`);
    await once(socket, 'connect');
    expect((await fetch(`${origin}/api/health`)).status).toBe(200);
    socket.destroy();
    expect((await fetch(`${origin}/api/health`)).status).toBe(200);
  }
});
