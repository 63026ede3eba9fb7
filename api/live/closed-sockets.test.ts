import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { SESSION_CHECK_INTERVAL_MS } from '#api/live/live-hub.ts';
import { connect, serveLive, upgradeErrorOf } from '#api/testing/servers/live-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';

const app = await createTestApp();
const address = await serveLive(app);
let voter: TestUser;

beforeAll(async () => {
  voter = await app.signUp();
});

describe('an invalid message', () => {
  test.each([
    ['text that is not JSON', 'hello'],
    ['a NUL', '\0'],
    ['truncated JSON', '{"type":"ping"'],
    ['null', 'null'],
    ['a list', '[{"type":"ping","timestamp":1}]'],
    ['an unknown type', '{"type":"subscribe","id":"*"}'],
    ['a message type of the server', '{"type":"user","points":99,"rev":99}'],
    ['a ping without a timestamp', '{"type":"ping"}'],
    ['a ping with an object as its timestamp', '{"type":"ping","timestamp":{"__proto__":{"x":1}}}'],
    ['bytes', Buffer.from('{"type":"ping","timestamp":1}')],
  ])('(%s) closes the socket with 1008', async (_, message) => {
    const socket = await connect(address, voter);
    socket.ws.send(message);
    expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.POLICY_VIOLATION);
    expect(socket.received).toEqual([]);
  });

  test('of more than 4 KiB closes the socket with 1009, and one with invalid UTF-8 with 1007', async () => {
    const large = await connect(address, voter);
    large.ws.send(JSON.stringify({ type: 'ping', timestamp: 'x'.repeat(5_000) }));
    expect(await large.closed).toBe(1009);
    const broken = await connect(address, voter);
    broken.ws.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await broken.closed).toBe(1007);
  });
});

describe('the end of a session', () => {
  test('by a logout closes only the sockets of this session, at once', async () => {
    const account = await app.signUp();
    const otherDevice = app.visitor();
    await otherDevice.post('/api/login', { username: account.user.username, password: account.password });
    const [socket, otherSocket] = [await connect(address, account), await connect(address, otherDevice)];
    const startMs = performance.now();
    await account.post('/api/logout');
    expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
    // Not by the periodic check of all sessions.
    expect(performance.now() - startMs).toBeLessThan(SESSION_CHECK_INTERVAL_MS / 6);
    // Time in which the other socket could be closed, too.
    await sleep(50);
    expect(otherSocket.ws.readyState).toBe(otherSocket.ws.OPEN);
    otherSocket.ws.close();
  });

  test('by a new login in the same browser closes its sockets', async () => {
    const account = await app.signUp();
    const socket = await connect(address, account);
    await account.post('/api/login', { username: account.user.username, password: account.password });
    expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  });

  test('by a suspension of the user, or by the deletion of the session’s row, closes the socket', async () => {
    for (const end of [
      (id: number) => app.db.sql`update users set is_suspended = true where id = ${id}`,
      (id: number) => app.db.sql`delete from sessions where user_id = ${id}`,
    ]) {
      const account = await app.signUp();
      const socket = await connect(address, account);
      await end(account.user.id);
      app.deps.live.publish({ type: 'sessions', userId: account.user.id });
      expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
      expect((await upgradeErrorOf(connect(address, account))).status).toBe(401);
    }
  });

  test('during the upgrade closes the new socket', async () => {
    const account = await app.signUp();
    const { live } = app.deps;
    const { add } = live;
    live.add = (socket) => {
      app.db.sql`delete from sessions where user_id = ${account.user.id}`.then(() => add(socket));
    };
    const socket = await connect(address, account);
    live.add = add;
    expect(await socket.closed).toBe(SOCKET_CLOSE_CODES.SESSION_ENDED);
  });
});
