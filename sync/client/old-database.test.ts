import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse } from '#sync/testing/fake-transport.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
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
