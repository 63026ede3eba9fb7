import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readFeed } from '#sync/client/cache/reads.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeDeviceNote } from '#sync/testing/fake-browser.ts';
import { json, errorResponse } from '#sync/testing/fake-transport.ts';
import { voteOn } from '#sync/testing/queue-vote.ts';
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

describe('a database that does not open', () => {
  /** A suspended tab of an earlier version: it has the database open and never closes it for an upgrade. */
  async function suspendedOldTab(): Promise<() => void> {
    const engine = device.newEngine();
    await engine.start();
    const name = userSessionOf(engine).db.name;
    await engine.logOut('keep');
    await Dexie.delete(name);
    const old = new Dexie(name);
    old.version(1).stores(FIRST_SCHEMA);
    await old.open();
    await old.table('user').add(device.user);
    // Keeps the connection open, and prevents Dexie from closing it.
    old.on('versionchange', () => false);
    return () => old.close();
  }

  test('does not occur while the old tab is awake, since it closes its connection; ops that it stores later are sent', async () => {
    const name = `this-or-that-user-${device.user.id}`;
    const old = new Dexie(name);
    old.version(1).stores(FIRST_SCHEMA);
    await old.open();
    await old.table('user').add(device.user);
    await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.user.id });
    const engine = device.newEngine();
    await engine.start();
    expect(userSessionOf(engine).db.verno).toBe(6);
    // A vote as the first release queues it.
    await old.table('ops').add({
      opId: '5b6d0a52-6c4f-4d0e-9a53-0f1f6a0f2a10',
      userId: device.user.id,
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
    engine.drain();
    await vi.waitFor(async () => expect(await old.table('ops').count()).toBe(0));
    expect(device.sent).toContain(VOTE_ROUTE);
  });

  test.each([
    ['with', () => device.routes],
    ['without', () => ({})],
  ])('is reported, and opened as soon as the other tab is closed, %s a network', async (_which, routes) => {
    const close = await suspendedOldTab();
    await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.user.id });
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

  test('does not make a login hang', async () => {
    await suspendedOldTab();
    const engine = device.newEngine();
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.start();
    const entering = engine.setUser(device.user).then(
      () => 'entered',
      (error: Error) => error.name,
    );
    let ended: string | null = null;
    void entering.then((end) => {
      ended = end;
    });
    await vi.waitFor(() => {
      device.clock.advance(1_000);
      expect(ended).toBe('BrowserTimeoutError');
    });
  });
});

describe('a device whose data the browser evicts', () => {
  let usedBefore: DeviceNote;
  beforeEach(() => {
    usedBefore = fakeDeviceNote(true, { userId: device.user.id, count: 3 });
  });
  const opened: Dexie[] = [];
  Dexie.addons.push((db) => opened.push(db));

  /** Evicts the data of an open page as a browser does: connections close, and new ones find no database. */
  async function evictOpen(): Promise<void> {
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
    await engine.queue(voteOn(POLL_ID, 1));
    expect(await userSessionOf(engine).db.ops.count()).toBe(1);
    expect(await userSessionOf(engine).db.user.count()).toBe(1);
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: null });
  });

  test('reports it at the next start if only the session has survived', async () => {
    const engine = device.newEngine({ deviceNote: usedBefore });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 3 });
  });

  test('reports nothing if no change waited', async () => {
    const readWaiting = () => ({ userId: device.user.id, count: 0 });
    const engine = device.newEngine({ deviceNote: { ...usedBefore, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toBeNull();
  });

  test("reports no number if another user's changes waited", async () => {
    const readWaiting = () => ({ userId: device.user.id + 1, count: 3 });
    const engine = device.newEngine({ deviceNote: { ...usedBefore, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: null });
  });

  test('reports nothing if the app was never used', async () => {
    const engine = device.newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('user');
    expect(engine.eviction.get()).toBeNull();
  });

  test('reports it once if the session has ended since', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine({ deviceNote: usedBefore });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 3 });
    expect(usedBefore.readWaiting()?.count).toBe(0);
  });

  test('reports nothing more after a logout in the tab that has reported it', async () => {
    const engine = device.newEngine({ deviceNote: usedBefore });
    await engine.start();
    const onEviction = vi.fn();
    engine.eviction.subscribe(onEviction);
    await engine.logOut('keep');
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.refreshUser();
    expect(onEviction).not.toHaveBeenCalled();
  });

  test('reports nothing if nobody is logged in and no change is known to have waited', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine({ deviceNote: { ...usedBefore, readWaiting: () => null } });
    await engine.start();
    device.routes['GET /api/user'] = json(200, device.user);
    await engine.setUser(device.user);
    await engine.refreshUser();
    expect(engine.eviction.get()).toBeNull();
  });

  test('shows changes stored afterwards in the open tab', async () => {
    const engine = device.newEngine();
    await engine.start();
    delete device.routes[VOTE_ROUTE];
    const { db } = userSessionOf(engine);
    await evictOpen();
    await engine.createPoll(sampleDraft());
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: null });
    expect((await readFeed(db, device.clock.now())).latest).toHaveLength(1);
    const later = device.newEngine();
    await later.start();
    expect(later.session.get().status).toBe('user');
  });

  test('shows the logged-in user at the next start, even offline', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await evictOpen();
    await engine.createPoll(sampleDraft());
    // The open tab recreates the database; this test only waits for it.
    await vi.waitFor(async () => expect(await Dexie.exists('this-or-that-device')).toBe(true));
    const { entries } = openDeviceDb('this-or-that');
    await vi.waitFor(async () => expect(await entries.get('lastUserId')).toBeDefined());
    const later = device.newEngine();
    await later.start();
    expect(userSessionOf(later).user.id).toBe(device.user.id);
  });
});
