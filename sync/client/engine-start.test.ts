import { beforeEach, describe, expect, test, vi } from 'vitest';
import { moveOps } from '#sync/client/outbox/outbox.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote, queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { openDeviceDb, openUserDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe("the server's clock", () => {
  const AHEAD_MS = 3_600_000;

  beforeEach(() => {
    const date = new Date(device.clock.now() + AHEAD_MS).toUTCString();
    device.routes['GET /api/user'] = json(200, device.serverUser, { Date: date });
  });

  test('is estimated from its responses', async () => {
    const engine = device.newEngine();
    await engine.start();
    expect(Math.abs(engine.serverNow() - device.clock.now() - AHEAD_MS)).toBeLessThanOrEqual(1_000);
  });

  test('is known after a start without a network', async () => {
    await device.newEngine().start();
    const { entries } = openDeviceDb('this-or-that');
    await vi.waitFor(async () => expect(await entries.get('clockOffsetMs')).toBeDefined());
    device.routes = {};
    const engine = device.newEngine();
    await engine.start();
    expect(Math.abs(engine.serverNow() - device.clock.now() - AHEAD_MS)).toBeLessThanOrEqual(1_000);
  });

  test('is not estimated from responses that are not JSON', async () => {
    const date = new Date(device.clock.now() + AHEAD_MS).toUTCString();
    // A body of null stands for a response that is not JSON.
    device.routes['GET /api/user'] = json(200, null, { Date: date });
    const engine = device.newEngine();
    await engine.start();
    expect(engine.serverNow()).toBe(device.clock.now());
  });

  test('is assumed to be this device’s clock at first', async () => {
    device.routes = {};
    const engine = device.newEngine();
    await engine.start();
    expect(engine.serverNow()).toBe(device.clock.now());
  });
});

/** Stores a vote in `state` on the device while no tab is open. */
async function storeVote(state: 'queued' | 'blocked_auth'): Promise<void> {
  const db = openUserDb('this-or-that', device.serverUser.id);
  await db.user.put(device.serverUser);
  await queueVote(db, { userId: device.serverUser.id, pollId: POLL_ID, option: 1 }, device.clock.now());
  if (state === 'blocked_auth') await moveOps(db, 'queued', 'blocked_auth');
  db.close();
  await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.serverUser.id });
}

test('waiting ops are sent at a start before the session check ends', async () => {
  await storeVote('queued');
  device.routes['GET /api/user'] = () => new Promise(() => {});
  const engine = device.newEngine();
  void engine.start();
  await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
});

describe('an op that the service worker has blocked', () => {
  test('is sent at the next start, after the session check', async () => {
    await storeVote('blocked_auth');
    const engine = device.newEngine();
    await engine.start();
    await vi.waitFor(() => expect(device.sent.slice(0, 2)).toEqual(['GET /api/user', VOTE_ROUTE]));
  });

  test('is sent by an open page that tries the connection', async () => {
    const engine = device.newEngine();
    await engine.start();
    const { db, user } = userSessionOf(engine);
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, device.clock.now());
    await moveOps(db, 'queued', 'blocked_auth');
    engine.tryConnection();
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
  });

  test('is not sent while its user has to log in', async () => {
    const engine = device.newEngine();
    await engine.start();
    // Each lane now has only the timer of its next drain.
    await vi.waitFor(() => expect(device.clock.delays().filter((ms) => ms === 30_000)).toHaveLength(2));
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.refreshUser();
    const { db, user } = userSessionOf(engine);
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, device.clock.now());
    await moveOps(db, 'queued', 'blocked_auth');
    engine.tryConnection();
    await settled();
    expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
    expect(device.sent).not.toContain(VOTE_ROUTE);
  });
});

describe('a response to a vote without a valid session', () => {
  test('causes a session check, after which the vote is sent again', async () => {
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = errorResponse('unauthenticated');
    const engine = device.newEngine();
    await engine.start();
    device.sent.length = 0;
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    const { db } = userSessionOf(engine);
    await vi.waitFor(async () => {
      device.clock.advance(1_000);
      expect(await db.ops.count()).toBe(0);
    });
    expect(userSessionOf(engine).needsLogin).toBe(false);
  });

  test('shows another user if the session belongs to them', async () => {
    device.routes[VOTE_ROUTE] = errorResponse('actor_mismatch');
    const engine = device.newEngine();
    await engine.start();
    const otherUser = { ...device.serverUser, id: device.serverUser.id + 1, username: 'ruth-a' };
    device.routes['GET /api/user'] = json(200, otherUser);
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(userSessionOf(engine).user.id).toBe(otherUser.id));
  });
});

describe('a read whose session belongs to another user', () => {
  test('returns `logged_out`, stores nothing and shows the other user', async () => {
    const engine = device.newEngine();
    await engine.start();
    const { db } = userSessionOf(engine);
    const otherUser = { ...device.serverUser, id: device.serverUser.id + 1, username: 'ruth-a' };
    device.routes['GET /api/user'] = json(200, otherUser);
    const accept = json(200, [samplePoll({ id: OTHER_POLL_ID, isMine: true })]);
    const refuse = errorResponse('actor_mismatch');
    device.routes['GET /api/user/questions'] = (request) =>
      request.headers['X-Expected-User'] === String(otherUser.id) ? accept(request) : refuse(request);
    expect(await engine.pullMine()).toBe('logged_out');
    await vi.waitFor(() => expect(userSessionOf(engine).user.id).toBe(otherUser.id));
    expect(await engine.pullMine()).toBe('updated');
    expect(await userSessionOf(engine).db.polls.count()).toBe(1);
    const formerUserDb = openUserDb('this-or-that', device.serverUser.id);
    expect([db.isOpen(), await formerUserDb.polls.count()]).toEqual([false, 0]);
  });
});

test('a later start sends the ETag of the stored feed, unless another build has stored it', async () => {
  const etags: (string | undefined)[] = [];
  const page = { data: [], pagination: { limit: 24, offset: 0, hasMore: false, nextCursor: null } };
  device.routes['GET /api/questions'] = (request) => {
    etags.push(request.headers['If-None-Match']);
    return json(200, page, { ETag: '"1"' })(request);
  };
  const engine = device.newEngine();
  await engine.start();
  await engine.pullFeed();
  await engine.pullFeed();
  const laterEngine = device.newEngine();
  await laterEngine.start();
  await laterEngine.pullFeed();
  await userSessionOf(laterEngine).db.listMeta.update('feed', { buildId: 'another' });
  await laterEngine.pullFeed();
  expect(etags).toEqual([undefined, '"1"', '"1"', undefined]);
});

test('a start without a network requests a background drain if an op waits', async () => {
  const engine = device.newEngine();
  await engine.start();
  device.routes = {};
  await engine.queue(newVote(POLL_ID, 1));
  const requestBackgroundDrain = vi.fn();
  await device.newEngine({ requestBackgroundDrain }).start();
  await vi.waitFor(() => expect(requestBackgroundDrain).toHaveBeenCalled());
});

test('finishLogout resolves with whether a pending logout has reached the server', async () => {
  const engine = device.newEngine();
  await engine.start();
  delete device.routes['POST /api/logout'];
  await engine.logOut('keep');
  expect(await engine.finishLogout()).toBe(false);
  device.routes['POST /api/logout'] = json(204, null);
  expect(await engine.finishLogout()).toBe(true);
});

describe('in a browser without a session cookie', () => {
  const newEngine = () =>
    device.newEngine({ deviceNote: { ...fakeDeviceNote(), mayHaveSession: () => false } });

  test('nobody is logged in, and no request is sent', async () => {
    const engine = newEngine();
    await engine.start();
    expect(engine.session.get()).toEqual({ status: 'visitor' });
    expect(device.sent).toEqual([]);
  });

  test('the session is checked if the device has a last user', async () => {
    await device.newEngine().start();
    const engine = newEngine();
    await engine.start();
    expect(userSessionOf(engine).user.id).toBe(device.serverUser.id);
    expect(device.sent).toEqual(['GET /api/user', 'GET /api/user']);
  });
});

test('a tab shows no user before its start and the logged-in user afterwards', async () => {
  const engine = device.newEngine();
  expect(engine.session.get()).toEqual({ status: 'loading' });
  await engine.start();
  const { user } = userSessionOf(engine);
  expect(user).toMatchObject({ id: device.serverUser.id, points: device.serverUser.points });
  expect(await openDeviceDb('this-or-that').entries.get('lastUserId')).toMatchObject({ value: user.id });
});

test('a start without a network shows the cache without a login, even if an op is blocked', async () => {
  const engine = device.newEngine();
  await engine.start();
  const { db } = userSessionOf(engine);
  device.routes = {};
  await engine.queue(newVote(POLL_ID, 1));
  await settled();
  // As left behind by a closed tab or the service worker.
  await db.ops.toCollection().modify({ state: 'blocked_auth', leaseOwner: null });
  const laterEngine = device.newEngine();
  await laterEngine.start();
  expect(userSessionOf(laterEngine).needsLogin).toBe(false);
  await settled();
  for (let checks = 0; checks < 4; checks += 1) {
    device.clock.advance(10_000);
    await settled();
  }
  expect(userSessionOf(laterEngine).needsLogin).toBe(false);
});
