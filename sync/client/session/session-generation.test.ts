import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { logOut } from './log-out.ts';
import {
  checkUser,
  checkUserOrEnd,
  endSession,
  followOtherTab,
  openLastUser,
  startSession,
} from './session.ts';

const user = sampleUser({ id: 7_000 });
const otherUser = sampleUser({ id: 7_001, username: 'ruth-a' });
let tab: SessionHarness;
let sent: TransportRequest[];

beforeEach(() => {
  tab = sessionHarness();
  sent = tab.answer(json(200, user));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a login', () => {
  test('notifies the other tabs even if the same user was already logged in', async () => {
    await startSession(tab.context, user);
    expect(tab.announcementCount).toBeGreaterThanOrEqual(1);
    const countBefore = tab.announcementCount;
    await startSession(tab.context, user);
    expect(tab.announcementCount).toBe(countBefore + 1);
  });

  test('cancels a pending logout', async () => {
    await tab.context.device.entries.put({ key: 'signedOut', value: 1 });
    await startSession(tab.context, user);
    expect([await tab.entry('signedOut'), await tab.entry('lastUserId')]).toEqual([undefined, user.id]);
  });

  test('closes the database of the former user, but not of the same user', async () => {
    await startSession(tab.context, user);
    const firstDb = tab.current().db;
    await startSession(tab.context, { ...user, points: 11, rev: 2 });
    expect(tab.current().db).toBe(firstDb);
    expect(firstDb.isOpen()).toBe(true);
    await startSession(tab.context, otherUser);
    expect(firstDb.isOpen()).toBe(false);
    expect(tab.current().db.isOpen()).toBe(true);
  });

  test('takes precedence over an earlier concurrent login', async () => {
    const { entries } = tab.context.device;
    const deletion = Promise.withResolvers<void>();
    const deleteEntry = entries.delete.bind(entries);
    vi.spyOn(entries, 'delete').mockImplementationOnce((key) =>
      Dexie.Promise.resolve(deletion.promise).then(() => deleteEntry(key)),
    );
    const earlierLogin = startSession(tab.context, user);
    await startSession(tab.context, otherUser);
    deletion.resolve();
    await earlierLogin;
    expect(await tab.entry('lastUserId')).toBe(otherUser.id);
    expect(tab.current().user.id).toBe(otherUser.id);
    expect((await tab.current().db.user.toArray()).map(({ id }) => id)).toEqual([otherUser.id]);
  });

  test('makes the ops that waited for it due at once', async () => {
    await startSession(tab.context, user);
    const { db } = tab.current();
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
    await endSession(tab.context);
    expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
    await db.ops.toCollection().modify({ nextAttemptAt: 1, attempts: 4 });
    await startSession(tab.context, user);
    expect(await db.ops.toArray()).toMatchObject([{ state: 'queued', nextAttemptAt: 0, attempts: 0 }]);
  });
});

describe('a session check', () => {
  test('notifies other tabs only of a new user', async () => {
    await checkUser(tab.context);
    expect(tab.announcementCount).toBe(1);
    await checkUser(tab.context);
    expect(tab.announcementCount).toBe(1);
  });

  test('whose response arrives after a logout opens no database', async () => {
    await startSession(tab.context, user);
    const responseGate = Promise.withResolvers<void>();
    const requestSent = Promise.withResolvers<void>();
    const reply = json(200, otherUser);
    sent = tab.answer(async (request) => {
      if (request.path === '/api/logout') return json(204, null)(request);
      requestSent.resolve();
      await responseGate.promise;
      return reply(request);
    });
    const checking = checkUser(tab.context);
    await requestSent.promise;
    await logOut(tab.context, 'keep');
    responseGate.resolve();
    expect(await checking).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await tab.entry('lastUserId')).toBeUndefined();
    expect(await Dexie.exists(`test-user-${otherUser.id}`)).toBe(false);
  });

  /** Calls `callback` just before the next Dexie transaction begins. */
  function beforeNextTransaction(callback: () => Promise<void>) {
    const { transaction } = Dexie.prototype;
    vi.spyOn(Dexie.prototype, 'transaction').mockImplementationOnce(async function (
      this: Dexie,
      ...args: unknown[]
    ) {
      await callback();
      return Reflect.apply(transaction, this, args);
    } as never);
  }

  test('does not set the last user if the user logs out while it stores them', async () => {
    tab.context.session.set({ status: 'visitor' });
    const close = vi.spyOn(Dexie.prototype, 'close');
    beforeNextTransaction(async () => {
      sent = tab.answer(json(204, null));
      await logOut(tab.context, 'keep');
    });
    expect(await checkUser(tab.context)).toBe(true);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(await tab.entry('lastUserId')).toBeUndefined();
    // The check has closed the database that it had opened.
    expect(close).toHaveBeenCalledOnce();
  });

  test('does not change the last user if another user logs in while it stores the user', async () => {
    tab.context.session.set({ status: 'visitor' });
    beforeNextTransaction(() => startSession(tab.context, otherUser));
    expect(await checkUser(tab.context)).toBe(true);
    expect(tab.current().user.id).toBe(otherUser.id);
    expect(await tab.entry('lastUserId')).toBe(otherUser.id);
  });

  test('does not close the database if its user logs in again during the check', async () => {
    await startSession(tab.context, user);
    beforeNextTransaction(() => startSession(tab.context, user));
    expect(await checkUser(tab.context)).toBe(true);
    expect(tab.current().db.isOpen()).toBe(true);
  });

  test('that sends a pending logout first does not undo a concurrent login', async () => {
    await tab.context.device.entries.put({ key: 'signedOut', value: 1 });
    const requestSent = Promise.withResolvers<void>();
    const responseGate = Promise.withResolvers<void>();
    sent = tab.answer(async (): Promise<'no_response'> => {
      requestSent.resolve();
      await responseGate.promise;
      return 'no_response';
    });
    const checking = checkUser(tab.context);
    await requestSent.promise;
    await startSession(tab.context, user);
    responseGate.resolve();
    expect(await checking).toBe(true);
    expect(tab.context.session.get().status).toBe('user');
  });

  test('fails as long as a pending logout does not reach the server', async () => {
    await tab.context.device.entries.put({ key: 'signedOut', value: 1 });
    sent = tab.answer(noResponse);
    expect(await checkUser(tab.context)).toBe(false);
    expect(tab.context.session.get().status).toBe('visitor');
    expect(sent.map(({ path }) => path)).toEqual(['/api/logout']);
  });

  test('keeps the user logged in if the server is unavailable', async () => {
    await startSession(tab.context, user);
    sent = tab.answer(json(503, null));
    expect(await checkUser(tab.context)).toBe(false);
    expect(tab.current()).toMatchObject({ needsLogin: false });
  });
});

describe('a session that ends', () => {
  beforeEach(async () => {
    await startSession(tab.context, user);
    await queueVote(tab.current().db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
  });

  /** Calls `callback` once waiting ops are blocked, before `endSession` continues. */
  function afterBlocking(callback: () => Promise<void>) {
    const collection = Object.getPrototypeOf(tab.current().db.ops.toCollection());
    const { modify } = collection;
    vi.spyOn(collection, 'modify').mockImplementationOnce(async function (this: unknown, ...args: unknown[]) {
      const changed = await Reflect.apply(modify, this, args);
      await callback();
      return changed;
    });
  }

  test('while another user logs in leaves that user logged in', async () => {
    afterBlocking(() => startSession(tab.context, otherUser));
    await endSession(tab.context);
    expect(tab.current()).toMatchObject({ user: { id: otherUser.id }, needsLogin: false });
    expect(tab.current().db.isOpen()).toBe(true);
  });

  test('while the same user logs in again leaves them logged in and unblocks waiting ops', async () => {
    const { db } = tab.current();
    afterBlocking(async () => {
      await startSession(tab.context, user);
      // `endSession` has blocked the ops only after the login had unblocked them.
      await db.ops.toCollection().modify({ state: 'blocked_auth' });
    });
    await endSession(tab.context);
    expect(tab.current()).toMatchObject({ user: { id: user.id }, needsLogin: false });
    expect(await db.ops.toArray()).toMatchObject([{ state: 'queued' }]);
  });
});

describe('the last user of the device', () => {
  test('is shown at a start before the session check', async () => {
    await startSession(tab.context, user);
    tab.context.session.set({ status: 'loading' });
    await openLastUser(tab.context);
    expect(tab.current()).toMatchObject({ user: { id: user.id }, needsLogin: false });
  });

  test('is not shown if another user logs in at the same time', async () => {
    await startSession(tab.context, user);
    tab.current().db.close();
    tab.context.session.set({ status: 'loading' });
    const open = vi.spyOn(Dexie.prototype, 'open');
    vi.spyOn(tab.context.device.entries, 'get').mockImplementationOnce(() =>
      Dexie.Promise.resolve(startSession(tab.context, otherUser)).then(() => undefined),
    );
    await openLastUser(tab.context);
    expect(tab.current().user.id).toBe(otherUser.id);
    const [openedDb] = open.mock.contexts as Dexie[];
    expect(openedDb?.name).toBe(`test-user-${user.id}`);
    expect(openedDb?.isOpen()).toBe(false);
  });

  test('is not shown if their database is empty', async () => {
    await tab.context.device.entries.put({ key: 'lastUserId', value: user.id });
    const close = vi.spyOn(Dexie.prototype, 'close');
    await openLastUser(tab.context);
    expect(tab.context.session.get().status).toBe('loading');
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('after a failure', () => {
  const readError = new Error('read');

  test('a start closes the database of the last user', async () => {
    await startSession(tab.context, user);
    tab.current().db.close();
    tab.context.session.set({ status: 'loading' });
    const close = vi.spyOn(Dexie.prototype, 'close');
    vi.spyOn(tab.context.device.entries, 'get').mockRejectedValueOnce(readError);
    await expect(openLastUser(tab.context)).rejects.toBe(readError);
    expect(close).toHaveBeenCalledOnce();
  });

  test('a session check closes the database that it has opened, but no other', async () => {
    tab.context.session.set({ status: 'visitor' });
    await tab.context.device.entries.put({ key: 'lastUserId', value: user.id });
    const close = vi.spyOn(Dexie.prototype, 'close');
    const transaction = vi.spyOn(tab.context.device, 'transaction').mockRejectedValueOnce(readError);
    await expect(checkUser(tab.context)).rejects.toBe(readError);
    expect(close).toHaveBeenCalledOnce();
    await checkUser(tab.context);
    transaction.mockRejectedValueOnce(readError);
    await expect(checkUser(tab.context)).rejects.toBe(readError);
    expect(tab.current().db.isOpen()).toBe(true);
  });
});

test('the end of a session blocks waiting ops until a login', async () => {
  await startSession(tab.context, user);
  const { db } = tab.current();
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
  sent = tab.answer(errorResponse('unauthenticated'));
  expect(await checkUser(tab.context)).toBe(true);
  expect(tab.current()).toMatchObject({ needsLogin: true });
  expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
});

test('the end of a session does not affect a visitor', async () => {
  tab.context.session.set({ status: 'visitor' });
  await endSession(tab.context);
  expect(tab.context.session.get()).toEqual({ status: 'visitor' });
});

describe('a login takes precedence over', () => {
  test.each([
    ['while nobody is logged in', async () => tab.context.session.set({ status: 'visitor' })],
    [
      'after the end of the session',
      async () => {
        await startSession(tab.context, user);
        await endSession(tab.context);
      },
    ],
  ])('a notification by another tab that arrives at the same time, %s', async (_when, prepare) => {
    await prepare();
    tab.answer(noResponse);
    await Promise.all([startSession(tab.context, user), followOtherTab(tab.context)]);
    expect(tab.current()).toMatchObject({ user: { id: user.id }, needsLogin: false });
  });

  test.each([
    ['this', () => startSession(tab.context, user)],
    [
      'another',
      () => {
        tab.answer(json(200, user));
        return followOtherTab(tab.context);
      },
    ],
  ])('a session check that gets no response (a login in %s tab)', async (_which, logIn) => {
    await startSession(tab.context, user);
    await endSession(tab.context);
    const { promise: isSent, resolve: noteSent } = Promise.withResolvers<void>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    tab.answer(async (request) => {
      noteSent();
      await isReleased;
      return noResponse(request);
    });
    const checking = checkUserOrEnd(tab.context);
    await isSent;
    await logIn();
    release();
    expect(await checking).toBe(true);
    expect(tab.current().needsLogin).toBe(false);
  });
});
