import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { logOut } from './log-out.ts';
import { checkUser, endSession, followOtherTab, startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
const otherUser = sampleUser({ id: 7_001, username: 'ruth-a' });
let tab: SessionHarness;

beforeEach(() => {
  tab = sessionHarness();
});

describe('a session that outlived the device’s data', () => {
  /** Checks the session after the device's data was cleared, and returns the calls of `onEvicted`. */
  const reportedEvictions = async ({ isCleared = true, reply = json(200, user) } = {}) => {
    const onEvicted = vi.fn();
    Object.assign(tab.context, { onEvicted, takeCleared: () => isCleared });
    tab.answer(reply);
    await checkUser(tab.context);
    return onEvicted.mock.calls;
  };

  test('reports the eviction', async () => expect(await reportedEvictions()).toEqual([[user.id]]));
  test('reports the eviction even if the session has ended', async () =>
    expect(await reportedEvictions({ reply: errorResponse('unauthenticated') })).toEqual([[null]]));
  test('reports nothing while the server cannot be reached', async () =>
    expect(await reportedEvictions({ reply: noResponse })).toEqual([]));
  test('reports nothing if the device was never used', async () =>
    expect(await reportedEvictions({ isCleared: false })).toEqual([]));
  test('reports nothing if the device still knows the last user', async () => {
    await tab.context.device.entries.put({ key: 'lastUserId', value: user.id });
    expect(await reportedEvictions()).toEqual([]);
  });
  test('reports nothing if the user is already shown', async () => {
    await startSession(tab.context, user);
    await tab.context.device.entries.clear();
    expect(await reportedEvictions()).toEqual([]);
  });
});

test('a deleted database is replaced by an open database even on a full device', async () => {
  await startSession(tab.context, user);
  const deleted = tab.current().db;
  await deleted.delete();
  expect(deleted.hasBeenClosed()).toBe(true);
  const throwQuotaError = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const rejectTransactions = (db: Dexie) =>
    db.use({ stack: 'dbcore', name: 'full', create: (core) => ({ ...core, transaction: throwQuotaError }) });
  Dexie.addons.push(rejectTransactions);
  try {
    await expect(followOtherTab(tab.context)).rejects.toThrow('full');
  } finally {
    Dexie.addons.splice(Dexie.addons.indexOf(rejectTransactions), 1);
  }
  expect(tab.current().db.isOpen()).toBe(true);
});

describe('while a deleted database is being reopened', () => {
  /** Deletes the database, and calls `act` while the tab reopens it. */
  async function whileReopening(act: () => Promise<unknown>): Promise<void> {
    await startSession(tab.context, user);
    await tab.current().db.delete();
    const onEvicted = vi.fn(act);
    Object.assign(tab.context, { onEvicted });
    const following = followOtherTab(tab.context);
    await vi.waitFor(() => expect(onEvicted).toHaveBeenCalledTimes(1));
    // The deleted database can neither be emptied nor changed.
    await Promise.allSettled([following, onEvicted.mock.results[0]?.value]);
  }

  test('a logout takes precedence', async () => {
    await whileReopening(() => logOut(tab.context, 'keep'));
    expect(tab.context.session.get().status).toBe('visitor');
  });

  test('the end of the session is not forgotten', async () => {
    await whileReopening(() => endSession(tab.context));
    expect(tab.current()).toMatchObject({ user: { id: user.id }, needsLogin: true });
    expect(tab.current().db.isOpen()).toBe(true);
  });
});

test('a database that could not be reopened is replaced by the next session check', async () => {
  await startSession(tab.context, user);
  const { db } = tab.current();
  db.close({ disableAutoOpen: false });
  vi.spyOn(Dexie.dependencies.indexedDB, 'open').mockImplementationOnce(() => {
    throw new DOMException('Removed while it opened', 'AbortError');
  });
  await expect(db.user.count()).rejects.toThrow();
  vi.restoreAllMocks();
  tab.answer(json(200, user));
  await checkUser(tab.context);
  expect(tab.current().db).not.toBe(db);
  expect(await tab.current().db.user.count()).toBe(1);
});

test('the new database of another user who logs in does not count as evicted', async () => {
  const onEvicted = vi.fn();
  Object.assign(tab.context, { onEvicted });
  await startSession(tab.context, user);
  await startSession(tab.context, otherUser);
  expect((await tab.current().db.user.toArray()).map(({ id }) => id)).toEqual([otherUser.id]);
  expect(onEvicted).not.toHaveBeenCalled();
});

test.each([
  ['nobody', errorResponse('unauthenticated')],
  ['another user', json(200, user)],
])(
  'a login during a session check takes precedence over the response that %s is logged in',
  async (_whom, reply) => {
    const { entries } = tab.context.device;
    const get = entries.get.bind(entries);
    const spy = vi.spyOn(entries, 'get').mockImplementation((async (key: 'lastUserId') => {
      if (key === 'lastUserId') {
        spy.mockRestore();
        await startSession(tab.context, otherUser);
      }
      return get(key);
    }) as typeof get);
    tab.answer(reply);
    await checkUser(tab.context);
    expect(tab.current().user.id).toBe(otherUser.id);
  },
);
