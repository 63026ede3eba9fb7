import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createLog } from '#api/http/logging/log.ts';
import { connect, serveLive, type TestSocket, UpgradeFailedError } from '#api/testing/servers/live-server.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import type { LiveSocket } from './live-hub.ts';
import { createLiveHub } from './live-hub.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(line) });
const app = await createTestApp({ rateLimits: true, log });
const address = await serveLive(app);
const unlimited = await createTestApp();
const unlimitedAddress = await serveLive(unlimited);

const PING = JSON.stringify({ type: 'ping', timestamp: 1 });

async function sendPings({ ws }: TestSocket, count: number): Promise<void> {
  for (let number = 0; number < count; number++) ws.send(PING);
  await sleep(0);
}

test('opening a sixth socket closes the user’s oldest socket, but no socket of other users', async () => {
  const [user, otherUser] = [await app.signUp(), await app.signUp()];
  const socketOfOtherUser = await connect(address, otherUser);
  const sockets: TestSocket[] = [];
  for (let count = 0; count < 6; count++) sockets.push(await connect(address, user));
  expect(await sockets[0]?.closed).toBe(SOCKET_CLOSE_CODES.REPLACED);
  // Time in which another socket could be closed, too.
  await sleep(50);
  const states = [...sockets.slice(1), socketOfOtherUser].map(({ ws }) => ws.readyState);
  expect(states).toEqual(Array.from({ length: 6 }, () => socketOfOtherUser.ws.OPEN));
  for (const { ws } of [...sockets, socketOfOtherUser]) ws.close();
});

test('more than 100 messages per minute, including protocol pings, close a socket with 1008 but no other socket', async () => {
  const user = await app.signUp();
  const [sender, pingingSocket, otherSocket] = [
    await connect(address, user),
    await connect(address, user),
    await connect(address, user),
  ];
  await sendPings(sender, 100);
  await expect.poll(() => sender.received.length).toBe(100);
  await sendPings(sender, 50);
  expect(await sender.closed).toBe(SOCKET_CLOSE_CODES.POLICY_VIOLATION);
  expect(sender.received).toHaveLength(100);
  for (let count = 0; count < 101; count++) {
    const pong = once(pingingSocket.ws, 'pong');
    pingingSocket.ws.ping();
    if (count < 100) await pong;
  }
  expect(await pingingSocket.closed).toBe(SOCKET_CLOSE_CODES.POLICY_VIOLATION);
  await sendPings(otherSocket, 1);
  await expect.poll(() => otherSocket.received.length).toBe(1);
  otherSocket.ws.close();
});

test('closing a socket for too many messages is logged as one security event', async () => {
  const client = await app.signUp();
  lines.length = 0;
  const socket = await connect(address, client);
  await sendPings(socket, 300);
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.POLICY_VIOLATION);
  const events = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'socket_closed');
  expect(events).toMatchObject([
    {
      level: 40,
      msg: 'security event',
      outcome: 'rate_limited',
      userId: client.user.id,
      network: '127.0.0.0/24',
      requestId: expect.any(String),
    },
  ]);
});

test('unsolicited pongs count as messages', async () => {
  const socket = await connect(address, await app.signUp());
  for (let count = 0; count < 101; count++) socket.ws.pong();
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.POLICY_VIOLATION);
});

test('upgrades count against the limit of calls', async () => {
  const statuses = new Set<number>();
  // A visitor can make 300 calls in five minutes.
  for (let count = 0; count < 301; count++) {
    const upgradeError = await connect(address, null).catch((error: unknown) => error);
    if (upgradeError instanceof UpgradeFailedError) statuses.add(upgradeError.status);
  }
  expect([...statuses]).toEqual([401, 429]);
});

test('RATE_LIMITS=off also disables the limits of sockets', async () => {
  const user = await unlimited.signUp();
  const sockets = await Promise.all(Array.from({ length: 8 }, () => connect(unlimitedAddress, user)));
  for (const socket of sockets) await sendPings(socket, 150);
  await expect.poll(() => sockets.map(({ received }) => received.length)).toEqual(sockets.map(() => 150));
  for (const { ws } of sockets) ws.close();
});

test('a client that does not read its messages is disconnected, and other clients receive every message', async () => {
  const [slowUser, fastUser] = [await unlimited.signUp(), await unlimited.signUp()];
  const reader = await connect(unlimitedAddress, fastUser);
  const { ws, closed } = await connect(unlimitedAddress, slowUser);
  ws.pause();
  let publishedCount = 0;
  // Far more than the buffers of the system take.
  while (publishedCount < 250_000 && unlimited.deps.live.countSockets() === 2) {
    for (let count = 0; count < 5_000; count++) {
      unlimited.deps.live.publish({ type: 'poll.created', id: crypto.randomUUID() });
    }
    publishedCount += 5_000;
    await sleep(30);
  }
  expect(unlimited.deps.live.countSockets()).toBe(1);
  await expect.poll(() => reader.received.length).toBe(publishedCount);
  ws.resume();
  expect(await closed).toBe(1006);
  reader.ws.close();
});

function fakeSocket(unsentBytes = 0) {
  return {
    userId: 1,
    sessionHash: 'x',
    lastSeenMs: performance.now(),
    closed: Promise.resolve(),
    bufferedBytes: () => unsentBytes,
    write: vi.fn(),
    ping: vi.fn(),
    close: vi.fn(),
    terminate: vi.fn(),
  } satisfies LiveSocket;
}

test('an idle socket is pinged after 30 s and closed at the first check after 75 s', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const hub = createLiveHub({
      limited: true,
      findOpenSessions: async (hashes) => new Set(hashes),
      onError: () => {},
    });
    const silent = fakeSocket();
    const responsive = fakeSocket();
    responsive.ping = vi.fn(() => {
      responsive.lastSeenMs = performance.now();
    });
    hub.add(silent);
    hub.add(responsive);
    vi.advanceTimersByTime(29_999);
    expect(silent.ping).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(silent.ping).toHaveBeenCalled();
    vi.advanceTimersByTime(45_000);
    expect(silent.terminate).not.toHaveBeenCalled();
    vi.advanceTimersByTime(15_000);
    expect(silent.terminate).toHaveBeenCalled();
    vi.advanceTimersByTime(600_000);
    expect(responsive.terminate).not.toHaveBeenCalled();
    void hub.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('a socket with more than 1 MiB of unsent bytes is closed', () => {
  const hub = createLiveHub({
    limited: true,
    findOpenSessions: async (hashes) => new Set(hashes),
    onError: () => {},
  });
  const [full, overfull] = [fakeSocket(1024 * 1024), fakeSocket(1024 * 1024 + 1)];
  for (const socket of [full, overfull]) hub.add(socket);
  hub.publish({ type: 'notifications', userId: 1 });
  expect(full.write).toHaveBeenCalledOnce();
  expect([full.terminate, overfull.terminate].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  void hub.stop();
});

test('checking the sessions of all sockets closes only those whose session has ended', async () => {
  const [account, otherUser] = [await unlimited.signUp(), await unlimited.signUp()];
  const socket = await connect(unlimitedAddress, account);
  const otherSocket = await connect(unlimitedAddress, otherUser);
  await unlimited.db.sql`delete from sessions where user_id = ${account.user.id}`;
  await unlimited.deps.live.checkSessions();
  expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  await sendPings(otherSocket, 1);
  await expect.poll(() => otherSocket.received.length).toBe(1);
  otherSocket.ws.close();
});
