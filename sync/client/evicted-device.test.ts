import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPollsTab } from '#sync/client/cache/reads.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { DeviceNote, Eviction } from './capabilities.ts';
import { openDeviceDb } from './db.ts';

let device: EngineHarness;
beforeEach(() => {
  device = engineHarness();
});

test('an eviction is reported even if the user logs in before the first session check succeeds', async () => {
  const deviceNote = fakeDeviceNote({
    hasBeenUsed: true,
    waiting: { userId: device.serverUser.id, count: 3 },
  });
  const reachable = device.routes;
  device.routes = {};
  const engine = device.newEngine({ deviceNote });
  await engine.start();
  expect(engine.session.get().status).toBe('visitor');
  device.routes = reachable;
  await engine.setUser(device.serverUser);
  await engine.refreshUser();
  await settled();
  expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: 3 });
});

test('an eviction is reported with the number of changes that a logout had kept', async () => {
  const deviceNote = fakeDeviceNote();
  delete device.routes[VOTE_ROUTE];
  const engine = device.newEngine({ deviceNote });
  await engine.start();
  await engine.queue(newVote(POLL_ID, 1));
  await engine.logOut('keep');
  for (const name of await Dexie.getDatabaseNames()) await Dexie.delete(name);
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const nextEngine = device.newEngine({ deviceNote: { ...deviceNote, hasBeenUsed: () => true } });
  await nextEngine.start();
  expect(nextEngine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: 1 });
});

describe('an eviction that a hidden tab detects', () => {
  let deviceNote: DeviceNote;
  let expected: Eviction;

  beforeEach(() => {
    expected = { userId: device.serverUser.id, lostChanges: 3 };
    deviceNote = fakeDeviceNote({ hasBeenUsed: true, waiting: { userId: device.serverUser.id, count: 3 } });
  });

  function newTab({ isVisible }: { isVisible: boolean }) {
    const tab = device.newEngine({ deviceNote });
    tab.setVisible(isVisible);
    return tab;
  }

  test('is reported once, when the tab becomes visible', async () => {
    const tab = newTab({ isVisible: false });
    await tab.start();
    // Changes that were stored later do not affect the report.
    deviceNote.noteWaiting(device.serverUser.id, 1);
    expect(tab.eviction.get()).toBeNull();
    tab.setVisible(true);
    expect(tab.eviction.get()).toEqual(expected);
    expect(deviceNote.readWaiting()?.count).toBe(1);
    const nextTab = newTab({ isVisible: true });
    await nextTab.start();
    expect(nextTab.eviction.get()).toBeNull();
  });

  test.each([
    ['after the session check', () => device.routes],
    ['before the session check', () => ({})],
  ])('is reported at the next start if that tab is killed %s', async (_when, routes) => {
    const { routes: reachable } = device;
    device.routes = routes();
    await newTab({ isVisible: false }).start();
    device.routes = reachable;
    const nextTab = newTab({ isVisible: true });
    await nextTab.start();
    expect(nextTab.eviction.get()).toEqual(expected);
  });

  test('is reported at once by a visible tab', async () => {
    const [hiddenTab, visibleTab] = [newTab({ isVisible: false }), newTab({ isVisible: true })];
    // At the start, the tabs find that the device was cleared, which is not reported if no changes were waiting.
    deviceNote.noteWaiting(device.serverUser.id, 0);
    await visibleTab.start();
    await hiddenTab.start();
    deviceNote.noteWaiting(device.serverUser.id, 3);
    // The browser evicts the data of both tabs, and the hidden tab is the first to open its database again.
    const { db } = userSessionOf(hiddenTab);
    for (const tab of [hiddenTab, visibleTab]) userSessionOf(tab).db.close({ disableAutoOpen: false });
    await Dexie.delete(db.name);
    await db.open();
    await vi.waitFor(() => expect(visibleTab.eviction.get()).toEqual(expected));
    expect(hiddenTab.eviction.get()).toBeNull();
  });

  test('is reported to its user only, not to another user who logs in', async () => {
    await newTab({ isVisible: false }).start();
    const otherUser = sampleUser({ id: device.serverUser.id + 1, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, otherUser);
    const nextTab = newTab({ isVisible: true });
    await nextTab.setUser(otherUser);
    await settled();
    expect(nextTab.eviction.get()).toBeNull();
    device.routes['GET /api/user'] = json(200, device.serverUser);
    await nextTab.setUser(device.serverUser);
    await vi.waitFor(() => expect(nextTab.eviction.get()).toEqual(expected));
  });
});

describe('a device whose data the browser evicts', () => {
  let noteOfUsedDevice: DeviceNote;
  const opened: Dexie[] = [];
  const collectOpened = (db: Dexie) => void opened.push(db);
  beforeEach(() => {
    Dexie.addons.push(collectOpened);
    noteOfUsedDevice = fakeDeviceNote({
      hasBeenUsed: true,
      waiting: { userId: device.serverUser.id, count: 3 },
    });
  });
  afterEach(() => {
    Dexie.addons.splice(Dexie.addons.indexOf(collectOpened), 1);
    opened.length = 0;
  });

  /** Evicts the data of an open page as a browser does: connections are closed, and new connections find no database. */
  async function evictData(): Promise<void> {
    const names = await Dexie.getDatabaseNames();
    for (const db of opened) db.close({ disableAutoOpen: false });
    await Promise.all(names.map((name) => Dexie.delete(name)));
  }

  test('remains usable if the data is deleted while a tab is open', async () => {
    const engine = device.newEngine();
    await engine.start();
    const { db } = userSessionOf(engine);
    await Dexie.delete(db.name);
    await vi.waitFor(() => expect(userSessionOf(engine).db).not.toBe(db));
    delete device.routes[VOTE_ROUTE];
    await engine.queue(newVote(POLL_ID, 1));
    expect(await userSessionOf(engine).db.ops.count()).toBe(1);
    expect(await userSessionOf(engine).db.user.count()).toBe(1);
    expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: null });
  });

  test('reports the eviction at the next start if only the session has survived', async () => {
    const engine = device.newEngine({ deviceNote: noteOfUsedDevice });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: 3 });
  });

  test('reports nothing if no changes were waiting', async () => {
    const readWaiting = () => ({ userId: device.serverUser.id, count: 0 });
    const engine = device.newEngine({ deviceNote: { ...noteOfUsedDevice, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toBeNull();
  });

  test("reports no number if another user's changes were waiting", async () => {
    const readWaiting = () => ({ userId: device.serverUser.id + 1, count: 3 });
    const engine = device.newEngine({ deviceNote: { ...noteOfUsedDevice, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: null });
  });

  test('reports nothing if the app was never used', async () => {
    const engine = device.newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('user');
    expect(engine.eviction.get()).toBeNull();
  });

  test('reports the eviction even if the session has ended since', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine({ deviceNote: noteOfUsedDevice });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: 3 });
    expect(noteOfUsedDevice.readWaiting()?.count).toBe(0);
  });

  test('reports the eviction only once, even after a logout', async () => {
    const engine = device.newEngine({ deviceNote: noteOfUsedDevice });
    await engine.start();
    const onEviction = vi.fn();
    engine.eviction.subscribe(onEviction);
    await engine.logOut('keep');
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.refreshUser();
    expect(onEviction).not.toHaveBeenCalled();
  });

  test('reports nothing if nobody is logged in and no waiting changes are known', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine({ deviceNote: { ...noteOfUsedDevice, readWaiting: () => null } });
    await engine.start();
    device.routes['GET /api/user'] = json(200, device.serverUser);
    await engine.setUser(device.serverUser);
    await engine.refreshUser();
    expect(engine.eviction.get()).toBeNull();
  });

  test('shows changes that an open tab stores after the eviction', async () => {
    const engine = device.newEngine();
    await engine.start();
    delete device.routes[VOTE_ROUTE];
    const { db } = userSessionOf(engine);
    await evictData();
    await engine.createPoll(sampleDraft());
    expect(engine.eviction.get()).toEqual({ userId: device.serverUser.id, lostChanges: null });
    expect((await readPollsTab(db, device.clock.now())).latest).toHaveLength(1);
    const laterEngine = device.newEngine();
    await laterEngine.start();
    expect(laterEngine.session.get().status).toBe('user');
  });

  test('shows the logged-in user at the next start, even without a network', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await evictData();
    await engine.createPoll(sampleDraft());
    // The open tab recreates the database; opening it here would create it as well.
    await vi.waitFor(async () => {
      // A drain that was running during the eviction may have failed, and the next one would wait for the clock.
      engine.tryConnection();
      expect(await Dexie.exists('this-or-that-device')).toBe(true);
    });
    const { entries } = openDeviceDb('this-or-that');
    await vi.waitFor(async () => expect(await entries.get('lastUserId')).toBeDefined());
    const laterEngine = device.newEngine();
    await laterEngine.start();
    expect(userSessionOf(laterEngine).user.id).toBe(device.serverUser.id);
  });
});

test('a late refusal of an evicted op does not affect the first op of the new database', async () => {
  const harness = await drainHarness();
  await harness.voteOn(POLL_ID);
  const responseGate = Promise.withResolvers<void>();
  const { transport, sent } = scriptedTransport(async (request) => {
    await responseGate.promise;
    return errorResponse('poll_closed')(request);
  }, noResponse);
  const draining = drainLane(harness.context(transport), 'votes');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const user = await harness.db.user.toArray();
  const [evictedOp] = await harness.db.ops.toArray();
  // The browser evicts the database of an open page; the engine stores the user again.
  harness.db.close({ disableAutoOpen: false });
  await Dexie.delete(harness.db.name);
  await harness.db.user.bulkPut(user);
  await harness.voteOn(OTHER_POLL_ID);
  const [newOp] = await harness.db.ops.toArray();
  expect(newOp?.seq).toBe(evictedOp?.seq);
  responseGate.resolve();
  // The drain may fail, since its database was closed.
  await draining.catch(() => {});
  expect(await harness.db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID, state: 'queued' }]);
});
