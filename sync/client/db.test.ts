import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EngineHarness, engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { loggedInUserId, openDeviceDb, openUserDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe("a user's database", () => {
  test('belongs to one user', async () => {
    const [db, otherDb] = [openUserDb('test', 1), openUserDb('test', 2)];
    await db.user.put(sampleUser({ id: 1 }));
    expect([db.name, otherDb.name]).toEqual(['test-user-1', 'test-user-2']);
    expect(await otherDb.user.count()).toBe(0);
  });

  test('remains closed after it was deleted, so that no read creates it again', async () => {
    const { db } = await freshUserDb();
    await db.open();
    await Dexie.delete(db.name);
    expect(db.isOpen()).toBe(false);
    await expect(db.user.count()).rejects.toThrow(Dexie.errnames.DatabaseClosed);
    expect(await Dexie.exists(db.name)).toBe(false);
  });

  test('is closed for an upgrade by another tab, and reopened by the next read', async () => {
    const { db } = await freshUserDb();
    await db.open();
    const nextVersion = db.verno + 1;
    const newerDb = new Dexie(db.name);
    newerDb.version(nextVersion).stores({ user: 'id', more: 'id' });
    await newerDb.open();
    expect(newerDb.verno).toBe(nextVersion);
    newerDb.close();
    expect(await db.user.count()).toBe(1);
  });

  test('logs this tab out when a tab of an earlier version deletes it to log out', async () => {
    const engine = device.newEngine();
    await engine.start();
    const { db } = userSessionOf(engine);
    const { entries } = openDeviceDb('this-or-that');
    await entries.put({ key: 'signedOut', value: 1 });
    await entries.delete('lastUserId');
    await Dexie.delete(db.name);
    await vi.waitFor(() => expect(engine.session.get().status).toBe('visitor'));
  });

  test('uses strict durability, so that a change is on the disk before it is reported as saved', async () => {
    const durability: unknown[] = [];
    const db = openUserDb('test', 3);
    db.use({
      stack: 'dbcore',
      create: (core) => ({
        ...core,
        transaction(tables, mode, options) {
          durability.push(options?.durability);
          return core.transaction(tables, mode, options);
        },
      }),
    });
    await db.transaction('rw', db.ops, () => db.ops.clear());
    await db.ops.clear();
    expect(durability.length).toBeGreaterThanOrEqual(2);
    expect(new Set(durability)).toEqual(new Set(['strict']));
  });
});

describe('the last user of this device', () => {
  test.each([
    ['is null at first', [], null],
    ['is the user who logged in last', [{ key: 'lastUserId', value: 7 }], 7],
    [
      'is null after a logout that has not reached the server',
      [
        { key: 'lastUserId', value: 7 },
        { key: 'signedOut', value: 1 },
      ],
      null,
    ],
  ] as const)('%s', async (_case, entries, userId) => {
    const deviceDb = openDeviceDb('test');
    await deviceDb.entries.bulkPut([...entries]);
    expect(await loggedInUserId(deviceDb)).toBe(userId);
  });
});
