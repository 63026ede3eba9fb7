import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import { openDeviceDb, openUserDb } from './db.ts';
import { openExisting } from './open-database.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('openExisting', () => {
  test('opens a database that exists', async () => {
    const { userId } = await freshUserDb();
    const db = await openExisting(openUserDb('test', userId), fakeClock());
    expect(await db?.user.count()).toBe(1);
  });

  test('does not create a database that does not exist', async () => {
    expect(await openExisting(openUserDb('test', 999), fakeClock())).toBeNull();
    expect(await Dexie.exists('test-user-999')).toBe(false);
  });

  test('fails after 5 seconds if a suspended tab of an older version blocks the database', async () => {
    const { userId } = await freshUserDb();
    const olderDb = openUserDb('test', userId);
    await olderDb.open();
    olderDb.on('versionchange', () => false);
    const newerDb = openUserDb('test', userId);
    newerDb.version(olderDb.verno + 1).stores({ more: 'id' });
    const blocked = new Promise((resolve) => newerDb.on('blocked', resolve));
    const clock = fakeClock();
    const opening = openExisting(newerDb, clock).catch((error: Error) => error.name);
    await blocked;
    clock.advance(5_000);
    expect(await opening).toBe('BrowserTimeoutError');
    olderDb.close();
  });

  test('fails if the browser cannot open the database', async () => {
    vi.spyOn(Dexie.dependencies.indexedDB, 'open').mockImplementationOnce(() => {
      throw new Error('broken');
    });
    await expect(openExisting(openDeviceDb('test'), fakeClock())).rejects.toThrow('broken');
  });
});
