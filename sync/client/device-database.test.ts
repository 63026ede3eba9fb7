import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPollsTab } from '#sync/client/cache/reads.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import type { DeviceNote } from './capabilities.ts';
import { openDeviceDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** The tables of the first release. */
const FIRST_SCHEMA = {
  ops: '++seq, &opId, state, entityId',
  opBlobs: '[opId+slot], opId',
  polls: 'id',
  feed: 'pollId, position',
  mine: 'pollId, position',
  trending: 'pollId, position',
  listMeta: 'list',
  user: 'id',
};

describe('a database that a tab of the first release has open', () => {
  /**
   * Opens the database like a suspended tab of the first release, which does not close it for an upgrade. Returns its `close`.
   */
  async function openInSuspendedTab(): Promise<() => void> {
    const engine = device.newEngine();
    await engine.start();
    const name = userSessionOf(engine).db.name;
    await engine.logOut('keep');
    await Dexie.delete(name);
    const oldDb = new Dexie(name);
    oldDb.version(1).stores(FIRST_SCHEMA);
    await oldDb.open();
    await oldDb.table('user').add(device.serverUser);
    // Prevents Dexie from closing the connection.
    oldDb.on('versionchange', () => false);
    return () => oldDb.close();
  }

  test('is upgraded if that tab is awake, and ops that it stores later are sent', async () => {
    const name = `this-or-that-user-${device.serverUser.id}`;
    const oldDb = new Dexie(name);
    oldDb.version(1).stores(FIRST_SCHEMA);
    await oldDb.open();
    await oldDb.table('user').add(device.serverUser);
    await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.serverUser.id });
    const engine = device.newEngine();
    await engine.start();
    expect(userSessionOf(engine).db.verno).toBe(6);
    // A vote as the first release queues it.
    await oldDb.table('ops').add({
      opId: '5b6d0a52-6c4f-4d0e-9a53-0f1f6a0f2a10',
      userId: device.serverUser.id,
      type: 'vote',
      schemaVersion: 1,
      entityId: POLL_ID,
      state: 'queued',
      attempts: 0,
      nextAttemptAt: 0,
      leaseOwner: null,
      leaseUntil: 0,
      lastError: null,
      createdAt: device.clock.now(),
      payload: { pollId: POLL_ID, option: 1 },
    });
    engine.tryConnection();
    await vi.waitFor(async () => expect(await oldDb.table('ops').count()).toBe(0));
    expect(device.sent).toContain(VOTE_ROUTE);
  });

  test.each([
    ['with', () => device.routes],
    ['without', () => ({})],
  ])('is reported as blocked until that tab is closed, %s a network', async (_case, routes) => {
    const close = await openInSuspendedTab();
    await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.serverUser.id });
    device.routes = routes();
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => {
      device.clock.advance(1_000);
      expect(engine.session.get().status).toBe('storage_blocked');
    });
    await started;
    close();
    await vi.waitFor(() => {
      device.clock.advance(10_000);
      expect(engine.session.get().status).toBe('user');
    });
  });

  test('makes a login fail instead of hang', async () => {
    await openInSuspendedTab();
    const engine = device.newEngine();
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.start();
    let failure: Error | null = null;
    void engine.setUser(device.serverUser).catch((error: Error) => {
      failure = error;
    });
    await vi.waitFor(() => {
      device.clock.advance(1_000);
      expect(failure).toMatchObject({ name: 'BrowserTimeoutError' });
    });
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
