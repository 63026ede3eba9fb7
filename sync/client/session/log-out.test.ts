import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openDeviceDb, openUserDb } from '#sync/client/db.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** Expects that the logout is sent 20 seconds from now, and not before. */
async function expectLogoutAfterLogin() {
  device.sent.length = 0;
  for (let second = 1; second < 20; second += 1) {
    device.clock.advance(1_000);
    await settled();
  }
  expect(device.sent).not.toContain('POST /api/logout');
  device.clock.advance(1_000);
  await vi.waitFor(() => expect(device.sent).toContain('POST /api/logout'));
}

describe('a logout', () => {
  test('clears the cache and reaches the server', async () => {
    const engine = device.newEngine();
    await engine.start();
    await engine.logOut('keep');
    expect(engine.session.get().status).toBe('visitor');
    expect(device.sent).toContain('POST /api/logout');
    const db = openUserDb('this-or-that', device.serverUser.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('without a network reaches the server later, before any other request', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.logOut('keep');
    device.sent = [];
    const laterEngine = device.newEngine();
    await laterEngine.start();
    expect(laterEngine.session.get().status).toBe('visitor');
    device.routes = {
      'POST /api/logout': json(204, null),
      'GET /api/user': errorResponse('unauthenticated'),
    };
    device.sent = [];
    await laterEngine.start();
    expect(device.sent[0]).toBe('POST /api/logout');
    expect(device.sent).toContain('GET /api/user');
  });

  test('discards waiting ops on request', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.queue(newVote(POLL_ID, 1));
    await engine.logOut('discard');
    await engine.setUser(device.serverUser);
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

  test('that the server does not process is repeated ten seconds later', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes['POST /api/logout'] = errorResponse('busy');
    await engine.logOut('keep');
    expect(device.sent.filter((route) => route === 'POST /api/logout')).toHaveLength(1);
    device.routes['POST /api/logout'] = json(204, null);
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await settled();
    device.clock.advance(10_000);
    const { entries } = openDeviceDb('this-or-that');
    await vi.waitFor(async () => expect(await entries.get('signedOut')).toBeUndefined());
    expect(device.sent.filter((route) => route === 'POST /api/logout')).toHaveLength(2);
  });

  test('is not repeated while a login that has tried to complete it may be under way', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes['POST /api/logout'] = errorResponse('busy');
    await engine.logOut('keep');
    await settled();
    device.clock.advance(9_000);
    await engine.finishLogout();
    await settled();
    await expectLogoutAfterLogin();
  });

  test('is not repeated during a login that began while a session check was sending it', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes['POST /api/logout'] = errorResponse('busy');
    await engine.logOut('keep');
    await settled();
    const responseGate = Promise.withResolvers<void>();
    device.routes['POST /api/logout'] = async (request) => {
      await responseGate.promise;
      return errorResponse('busy')(request);
    };
    device.sent.length = 0;
    device.clock.advance(10_000);
    await vi.waitFor(() => expect(device.sent).toEqual(['POST /api/logout']));
    const finishing = engine.finishLogout();
    await settled();
    responseGate.resolve();
    await finishing;
    await settled();
    await expectLogoutAfterLogin();
  });

  test('is not repeated during a login, even if the server can be reached again', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.logOut('keep');
    await engine.finishLogout();
    await settled();
    device.routes = reachable;
    await expectLogoutAfterLogin();
  });

  test('keeps waiting ops for the next login of the user on request', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.queue(newVote(POLL_ID, 1));
    await engine.logOut('keep');
    await engine.setUser(device.serverUser);
    expect(await userSessionOf(engine).db.ops.count()).toBe(1);
  });
});

describe('a tab that does not notice the logout in another tab', () => {
  /** Starts two tabs that do not notify each other, as in a browser without `BroadcastChannel`. */
  async function startTwoTabs() {
    const tabs = { announce() {}, listen() {} };
    const [tab, otherTab] = [device.newEngine({ tabs }), device.newEngine({ tabs })];
    await tab.start();
    await otherTab.start();
    return { tab, otherTab };
  }

  test('stores its ops for the next login without sending them', async () => {
    const { tab, otherTab } = await startTwoTabs();
    // Without a network, neither the server nor the other tab learns of the logout.
    device.routes = {};
    // The user agrees to discard the changes shown, of which there are none.
    const loggingOut = tab.logOut('discard', []);
    await otherTab.queue(newVote(POLL_ID, 1));
    await loggingOut;
    device.routes[VOTE_ROUTE] = json(200, {
      poll: samplePoll({ votes: [{ option: 1 }] }),
      user: { ...device.serverUser, points: 11, rev: 2 },
    });
    otherTab.tryConnection();
    await vi.waitFor(() => expect(otherTab.session.get().status).toBe('visitor'));
    expect(device.sent).not.toContain(VOTE_ROUTE);
    const db = openUserDb('this-or-that', device.serverUser.id);
    expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });

  test('loses none of the votes that it stores during the logout', async () => {
    const { tab, otherTab } = await startTwoTabs();
    device.routes = {};
    const pollIds = Array.from({ length: 16 }, (_, index) => POLL_ID.replace(/.$/, index.toString(16)));
    const loggingOut = tab.logOut('keep');
    const results = await Promise.allSettled(pollIds.map((id) => otherTab.queue(newVote(id, 1))));
    await loggingOut;
    const db = openUserDb('this-or-that', device.serverUser.id);
    const storedIds = (await db.ops.toArray()).map(({ entityId }) => entityId);
    const reportedAsSaved = pollIds.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(storedIds.toSorted()).toEqual(reportedAsSaved);
    expect(reportedAsSaved.length).toBeGreaterThan(0);
  });

  test('caches no responses to requests from before the logout', async () => {
    const { tab, otherTab } = await startTwoTabs();
    const requestSent = Promise.withResolvers<void>();
    const responseGate = Promise.withResolvers<void>();
    device.routes['GET /api/user/questions'] = async (request) => {
      requestSent.resolve();
      await responseGate.promise;
      return json(200, [samplePoll({ isMine: true })])(request);
    };
    const pulling = otherTab.pullMine();
    await requestSent.promise;
    await tab.logOut('keep');
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    responseGate.resolve();
    expect(await pulling).toBe('logged_out');
    const db = openUserDb('this-or-that', device.serverUser.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('removes an acknowledged vote from the queue without caching the response', async () => {
    const { tab, otherTab } = await startTwoTabs();
    const accept = device.routes[VOTE_ROUTE];
    const responseGate = Promise.withResolvers<void>();
    device.routes[VOTE_ROUTE] = async (request) => {
      await responseGate.promise;
      return (await accept?.(request)) ?? 'no_response';
    };
    await otherTab.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await tab.logOut('keep');
    responseGate.resolve();
    const db = openUserDb('this-or-that', device.serverUser.id);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
    const otherTables = db.tables.filter(({ name }) => name !== 'account');
    for (const table of otherTables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });
});
