import { expect, test, vi } from 'vitest';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import { DAY_MS } from '#shared/time.ts';
import { engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

async function startWithOpenSocket() {
  const device = engineHarness();
  const engine = device.newEngine();
  engine.setVisible(true);
  await engine.start();
  device.sockets[0]?.open();
  return { device, engine };
}

test('before the start there is no dot for new polls', () => {
  expect(engineHarness().newEngine().hasNewPolls.get()).toBe(false);
});

test('a tab has one socket', async () => {
  const { device, engine } = await startWithOpenSocket();
  engine.tryConnection();
  await engine.setUser(device.serverUser);
  engine.setVisible(true);
  await settled();
  expect(device.sockets).toHaveLength(1);
});

test('waiting ops are sent and the user is fetched after a reconnect', async () => {
  const { device, engine } = await startWithOpenSocket();
  const reachable = device.routes;
  device.routes = {};
  device.sockets[0]?.close(1006);
  await engine.queue(newVote(POLL_ID, 1));
  await settled();
  expect(engine.connection.get().phase).toBe('disconnected');
  device.routes = reachable;
  device.sent = [];
  device.clock.advance(5_000);
  device.sockets[1]?.open();
  await vi.waitFor(async () => expect(await userSessionOf(engine).db.ops.count()).toBe(0));
  expect(device.sent.filter((route) => route === 'GET /api/user')).toHaveLength(1);
  expect(engine.connection.get().phase).toBe('restored');
});

test('the server is checked after the loss of a socket, and the user is fetched after a reconnect', async () => {
  const { device, engine } = await startWithOpenSocket();
  await settled();
  const checksBefore = device.healthCheckCount;
  device.sockets[0]?.close(1006);
  await settled();
  expect(device.healthCheckCount).toBe(checksBefore + 1);
  device.sent = [];
  device.clock.advance(5_000);
  device.sockets[1]?.open();
  await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
  expect(engine.connection.get().phase).toBe('connected');
});

test('the user is fetched when the first socket opens late, even if the first health check is still running', async () => {
  const { device } = await startWithOpenSocket();
  device.routes = { 'GET /api/health': () => new Promise(() => {}) };
  const engine = device.newEngine();
  engine.setVisible(true);
  await engine.start();
  expect(engine.connection.get().phase).toBe('checking');
  device.sent = [];
  device.routes['GET /api/user'] = json(200, device.serverUser);
  device.clock.advance(2_000);
  device.sockets[1]?.open();
  await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
});

test('failed attempts to reconnect cause no health checks', async () => {
  const { device, engine } = await startWithOpenSocket();
  device.sockets[0]?.close(1006);
  await settled();
  const checksBefore = device.healthCheckCount;
  device.sent = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    device.clock.advance(5_000);
    device.sockets[attempt]?.close(1006);
    await settled();
  }
  expect(device.sockets).toHaveLength(11);
  expect(device.sent).toEqual(['GET /api/user']);
  expect(device.healthCheckCount).toBe(checksBefore);
  expect(engine.connection.get().phase).toBe('connected');
});

test('no more sockets are opened after the end of the session', async () => {
  const { device, engine } = await startWithOpenSocket();
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  device.sockets[0]?.close(SOCKET_CLOSE_CODES.SESSION_ENDED);
  await vi.waitFor(() => expect(userSessionOf(engine).needsLogin).toBe(true));
  device.clock.advance(60_000);
  expect(device.sockets).toHaveLength(1);
});

test('a pong sets the server’s time to the millisecond', async () => {
  const { device, engine } = await startWithOpenSocket();
  device.clock.advance(30_000);
  const ping = device.sockets[0]?.sent[0];
  const serverTime = device.clock.now() + 8 * DAY_MS;
  device.sockets[0]?.deliver({ type: 'pong', timestamp: ping?.timestamp ?? 0, serverTime });
  expect(engine.serverNow()).toBe(serverTime);
});

test('watched polls are fetched when the socket opens after a session check of two seconds', async () => {
  const device = engineHarness();
  await device.newEngine().start();
  const engine = device.newEngine();
  engine.setVisible(true);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  device.routes['GET /api/user'] = async (request) => {
    await isReleased;
    return json(200, device.serverUser)(request);
  };
  const starting = engine.start();
  await vi.waitFor(() => expect(engine.session.get().status).toBe('user'));
  await userSessionOf(engine).db.polls.put(samplePoll());
  engine.watchPoll(POLL_ID);
  device.clock.advance(2_000);
  release();
  await starting;
  device.sent = [];
  device.sockets[0]?.open();
  await settled();
  device.clock.advance(2_000);
  await settled();
  expect(device.sent).toContain(`GET /api/questions/${POLL_ID}`);
});

test.each([
  [1_999, 'does not fetch its watched poll, whose data is fresh', 0],
  [2_000, 'fetches its watched poll', 1],
])('a page that becomes visible %i ms after its start %s', async (afterMs, _what, fetchCount) => {
  const device = engineHarness();
  const engine = device.newEngine();
  await engine.start();
  await userSessionOf(engine).db.polls.put(samplePoll());
  engine.watchPoll(POLL_ID);
  device.clock.advance(afterMs);
  engine.setVisible(true);
  device.sockets[0]?.open();
  await settled();
  device.clock.advance(2_000);
  await settled();
  expect(device.sent.filter((route) => route === `GET /api/questions/${POLL_ID}`)).toHaveLength(fetchCount);
});
