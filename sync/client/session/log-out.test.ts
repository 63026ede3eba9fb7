import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openUserDb } from '#sync/client/db.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { voteOn } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('a logout', () => {
  test('clears the cache and reaches the server', async () => {
    const engine = device.newEngine();
    await engine.start();
    await engine.logOut('keep');
    expect(engine.session.get().status).toBe('visitor');
    expect(device.sent).toContain('POST /api/logout');
    const db = openUserDb('this-or-that', device.user.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('works offline, and reaches the server before any other request', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.logOut('keep');
    device.sent = [];
    const later = device.newEngine();
    await later.start();
    expect(later.session.get().status).toBe('visitor');
    device.routes = {
      'POST /api/logout': json(204, null),
      'GET /api/user': errorResponse('unauthenticated'),
    };
    device.sent = [];
    await later.start();
    expect(device.sent[0]).toBe('POST /api/logout');
    expect(device.sent).toContain('GET /api/user');
  });

  test('discards waiting ops on request', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.queue(voteOn(POLL_ID, 1));
    await engine.logOut('discard');
    await engine.setUser(device.user);
    expect(await userSessionOf(engine).db.ops.count()).toBe(0);
  });

  test('reaches the server as soon as the browser is online again', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.logOut('keep');
    device.routes = reachable;
    device.sent.length = 0;
    engine.tryConnection();
    await vi.waitFor(() => expect(device.sent).toContain('POST /api/logout'));
  });

  test('keeps waiting ops for this account', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.queue(voteOn(POLL_ID, 1));
    await engine.logOut('keep');
    await engine.setUser(device.user);
    expect(await userSessionOf(engine).db.ops.count()).toBe(1);
  });
});

describe('a tab that is not notified of a logout in another tab', () => {
  const isolated = { announce() {}, listen() {} };

  test('keeps the ops that it stores for the next login, and sends none of them', async () => {
    const [one, two] = [device.newEngine({ tabs: isolated }), device.newEngine({ tabs: isolated })];
    await one.start();
    await two.start();
    // Without a network, neither the server nor the other tab learns of the logout.
    device.routes = {};
    const loggingOut = one.logOut('discard', []);
    await two.queue(voteOn(POLL_ID, 1));
    await loggingOut;
    device.routes[VOTE_ROUTE] = json(200, {
      poll: samplePoll({ votes: [{ option: 1 }] }),
      user: { ...device.user, points: 11, rev: 2 },
    });
    two.drain();
    await vi.waitFor(() => expect(two.session.get().status).toBe('visitor'));
    expect(device.sent).not.toContain(VOTE_ROUTE);
    const db = openUserDb('this-or-that', device.user.id);
    expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });

  test('loses none of many votes that it stores during the logout', async () => {
    const [one, two] = [device.newEngine({ tabs: isolated }), device.newEngine({ tabs: isolated })];
    await one.start();
    await two.start();
    device.routes = {};
    const polls = Array.from({ length: 16 }, (_, index) => POLL_ID.replace(/.$/, index.toString(16)));
    const loggingOut = one.logOut('keep');
    const saved = await Promise.allSettled(polls.map((id) => two.queue(voteOn(id, 1))));
    await loggingOut;
    const db = openUserDb('this-or-that', device.user.id);
    const stored = (await db.ops.toArray()).map(({ entityId }) => entityId);
    const reported = polls.filter((_, index) => saved[index]?.status === 'fulfilled');
    expect(stored.toSorted()).toEqual(reported);
    expect(reported.length).toBeGreaterThan(0);
  });

  test('caches no responses to earlier requests', async () => {
    const [one, two] = [device.newEngine({ tabs: isolated }), device.newEngine({ tabs: isolated })];
    await one.start();
    await two.start();
    const requestSent = Promise.withResolvers<void>();
    const response = Promise.withResolvers<void>();
    device.routes['GET /api/user/questions'] = async (request) => {
      requestSent.resolve();
      await response.promise;
      return json(200, [samplePoll({ isMine: true })])(request);
    };
    const pulling = two.pullMine();
    await requestSent.promise;
    await one.logOut('keep');
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    response.resolve();
    expect(await pulling).toBe('logged_out');
    const db = openUserDb('this-or-that', device.user.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('removes a vote that was being sent from the queue, but does not cache the response', async () => {
    const [one, two] = [device.newEngine({ tabs: isolated }), device.newEngine({ tabs: isolated })];
    await one.start();
    await two.start();
    const accept = device.routes[VOTE_ROUTE];
    const response = Promise.withResolvers<void>();
    device.routes[VOTE_ROUTE] = async (request) => {
      await response.promise;
      return (await accept?.(request)) ?? 'no_response';
    };
    await two.queue(voteOn(POLL_ID, 1));
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await one.logOut('keep');
    response.resolve();
    const db = openUserDb('this-or-that', device.user.id);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
    const caches = db.tables.filter(({ name }) => name !== 'account');
    for (const table of caches) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });
});
