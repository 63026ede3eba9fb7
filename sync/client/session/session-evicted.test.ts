import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { checkUser, followOtherTab, startSession } from './session.ts';

const user = sampleUser({ id: 7_000 });
const other = sampleUser({ id: 7_001, username: 'ruth-a' });
let tab: SessionHarness;

beforeEach(() => {
  tab = sessionHarness();
});

describe('a session that outlived the device’s data', () => {
  const evicted = async (prepare: () => Promise<unknown>, isCleared = true, reply = json(200, user)) => {
    const onEvicted = vi.fn();
    await prepare();
    Object.assign(tab.context, { onEvicted, takeCleared: () => isCleared });
    tab.answer(reply);
    await checkUser(tab.context);
    return onEvicted.mock.calls;
  };

  test('reports the eviction', async () => expect(await evicted(async () => {})).toEqual([[user.id]]));
  test('that has ended reports the eviction too', async () =>
    expect(await evicted(async () => {}, true, errorResponse('unauthenticated'))).toEqual([[null]]));
  test('reports nothing while the server cannot be reached', async () =>
    expect(await evicted(async () => {}, true, noResponse)).toEqual([]));
  test('reports nothing if the device was never used', async () =>
    expect(await evicted(async () => {}, false)).toEqual([]));
  test('reports nothing if the device still knows the last user', async () => {
    const known = () => tab.context.device.entries.put({ key: 'lastUserId', value: user.id });
    expect(await evicted(known)).toEqual([]);
  });
  test('reports nothing if the user is shown already', async () => {
    const shown = async () => {
      await startSession(tab.context, user);
      await tab.context.device.entries.clear();
    };
    expect(await evicted(shown)).toEqual([]);
  });
});

test('a deleted database is replaced by an open one even on a full device', async () => {
  await startSession(tab.context, user);
  const deleted = tab.current().db;
  await deleted.delete();
  expect(deleted.hasBeenClosed()).toBe(true);
  const refuse = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const fill = (db: Dexie) =>
    db.use({ stack: 'dbcore', name: 'full', create: (core) => ({ ...core, transaction: refuse }) });
  Dexie.addons.push(fill);
  try {
    await expect(followOtherTab(tab.context)).rejects.toThrow('full');
  } finally {
    Dexie.addons.splice(Dexie.addons.indexOf(fill), 1);
  }
  expect(tab.current().db.isOpen()).toBe(true);
});

test('a database that could not be reopened is replaced at the next response of the server', async () => {
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

test('the database of another user who logs in is new, and does not count as evicted', async () => {
  const onEvicted = vi.fn();
  Object.assign(tab.context, { onEvicted });
  await startSession(tab.context, user);
  await startSession(tab.context, other);
  expect((await tab.current().db.user.toArray()).map(({ id }) => id)).toEqual([other.id]);
  expect(onEvicted).not.toHaveBeenCalled();
});

test.each([
  ['no user', errorResponse('unauthenticated')],
  ['another user', json(200, user)],
])(
  'a login during a session check takes precedence over the response %s to the check',
  async (_whom, reply) => {
    const { entries } = tab.context.device;
    const get = entries.get.bind(entries);
    const looking = vi.spyOn(entries, 'get').mockImplementation((async (key: 'lastUserId') => {
      if (key === 'lastUserId') {
        looking.mockRestore();
        await startSession(tab.context, other);
      }
      return get(key);
    }) as typeof get);
    tab.answer(reply);
    await checkUser(tab.context);
    expect(tab.current().user.id).toBe(other.id);
  },
);
