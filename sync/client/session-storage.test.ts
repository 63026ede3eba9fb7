import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, lost, refusal, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { openDeviceDb, openUserDb } from './db.ts';
import { observable } from './observable.ts';
import { queuePoll, queueVote } from './outbox.ts';
import {
  checkUser,
  endSession,
  enter,
  finishLogOut,
  followOtherTab,
  logOut,
  openLastUser,
  type SessionContext,
} from './session.ts';
import type { Session } from './types.ts';

const user = sampleUser({ id: 7_000 });
const other = sampleUser({ id: 7_001, username: 'ruth-a' });
let context: SessionContext;
let announce: ReturnType<typeof vi.fn<() => void>>;
let sent: ReturnType<typeof scriptedTransport>['sent'];

beforeEach(() => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  announce = vi.fn<() => void>();
  context = {
    ...answers(json(200, user)),
    clock: fakeClock(),
    device: openDeviceDb('test'),
    session: observable<Session>({ status: 'loading' }),
    tabs: { announce, listen() {} },
    databasePrefix: 'test',
    generation: 0,
    onAnswer: () => {},
    wasUsedBefore: false,
    onEvicted: () => {},
  };
});

afterEach(() => {
  vi.restoreAllMocks();
});

function answers(...replies: Parameters<typeof scriptedTransport>) {
  const scripted = scriptedTransport(...replies);
  sent = scripted.sent;
  return { transport: scripted.transport };
}

const entry = async (key: 'lastUserId' | 'signedOut') => (await context.device.entries.get(key))?.value;

function current(): Extract<Session, { status: 'user' }> {
  const session = context.session.get();
  if (session.status !== 'user') throw new Error(`expected a user, not ${session.status}`);
  return session;
}

const announced = () => announce.mock.calls.length;

describe('a log in', () => {
  test('is told to the other tabs, also when the same user was signed in here', async () => {
    await enter(context, user);
    expect(announced()).toBeGreaterThanOrEqual(1);
    const before = announced();
    await enter(context, user);
    expect(announced()).toBe(before + 1);
  });

  test('takes back a log out that the server has not heard of', async () => {
    await context.device.entries.put({ key: 'signedOut', value: 1 });
    await enter(context, user);
    expect([await entry('signedOut'), await entry('lastUserId')]).toEqual([undefined, user.id]);
  });

  test("closes the former user's database, and keeps the own one open", async () => {
    await enter(context, user);
    const first = current().db;
    await enter(context, { ...user, points: 11, rev: 2 });
    expect(current().db).toBe(first);
    expect(first.isOpen()).toBe(true);
    await enter(context, other);
    expect(first.isOpen()).toBe(false);
    expect(current().db.isOpen()).toBe(true);
  });

  test('lets go out what waited for it, at once', async () => {
    await enter(context, user);
    const { db } = current();
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
    await endSession(context);
    expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
    await db.ops.toCollection().modify({ nextAttemptAt: 1, attempts: 4 });
    await enter(context, user);
    expect(await db.ops.toArray()).toMatchObject([{ state: 'queued', nextAttemptAt: 0, attempts: 0 }]);
  });
});

describe('a check of who is signed in', () => {
  test('announces somebody new, and nobody that is known', async () => {
    await checkUser(context);
    expect(announced()).toBe(1);
    await checkUser(context);
    expect(announced()).toBe(1);
  });

  test('that is answered after a log out opens nobody', async () => {
    await enter(context, user);
    const answered = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const reply = json(200, other);
    Object.assign(
      context,
      answers(async (request) => {
        if (request.path === '/api/logout') return json(204, null)(request);
        asked.resolve();
        await answered.promise;
        return reply(request);
      }),
    );
    const checking = checkUser(context);
    await asked.promise;
    await logOut(context, 'keep');
    answered.resolve();
    expect(await checking).toBe(true);
    expect(context.session.get().status).toBe('visitor');
    expect(await entry('lastUserId')).toBeUndefined();
  });

  /** Lets something happen when the next transaction of several tables is about to begin. */
  function beforeNextTransaction(happens: () => Promise<void>) {
    const { transaction } = Dexie.prototype;
    vi.spyOn(Dexie.prototype, 'transaction').mockImplementationOnce(async function (
      this: Dexie,
      ...args: unknown[]
    ) {
      await happens();
      return Reflect.apply(transaction, this, args);
    } as never);
  }

  test('leaves no mark of the user it has found when they log out while it stores them', async () => {
    context.session.set({ status: 'visitor' });
    const close = vi.spyOn(Dexie.prototype, 'close');
    beforeNextTransaction(async () => {
      Object.assign(context, answers(json(204, null)));
      await logOut(context, 'keep');
    });
    expect(await checkUser(context)).toBe(true);
    expect(context.session.get().status).toBe('visitor');
    expect(await entry('lastUserId')).toBeUndefined();
    expect(close).toHaveBeenCalledOnce();
  });

  test('leaves the mark of somebody else who logs in while it stores the user it has found', async () => {
    context.session.set({ status: 'visitor' });
    beforeNextTransaction(() => enter(context, other));
    expect(await checkUser(context)).toBe(true);
    expect(current().user.id).toBe(other.id);
    expect(await entry('lastUserId')).toBe(other.id);
  });

  test('that waits for the server to hear of a log out does not undo a login meanwhile', async () => {
    await context.device.entries.put({ key: 'signedOut', value: 1 });
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    Object.assign(
      context,
      answers(async () => {
        asked.resolve();
        await answered.promise;
        return 'lost';
      }),
    );
    const checking = checkUser(context);
    await asked.promise;
    await enter(context, user);
    answered.resolve();
    expect(await checking).toBe(true);
    expect(context.session.get().status).toBe('user');
  });

  test('says that it could not be asked while the server does not hear of a log out', async () => {
    await context.device.entries.put({ key: 'signedOut', value: 1 });
    Object.assign(context, answers(lost));
    expect(await checkUser(context)).toBe(false);
    expect(context.session.get().status).toBe('visitor');
    expect(sent.map(({ path }) => path)).toEqual(['/api/logout']);
  });

  test('leaves a user alone whom the server did not deny', async () => {
    await enter(context, user);
    Object.assign(context, answers(json(503, null)));
    expect(await checkUser(context)).toBe(false);
    expect(current()).toMatchObject({ needsLogin: false });
  });
});

describe('the user of the last start', () => {
  test('is shown at once', async () => {
    await enter(context, user);
    context.session.set({ status: 'loading' });
    await openLastUser(context);
    expect(current()).toMatchObject({ user: { id: user.id }, needsLogin: false });
  });

  test('is not shown when nothing is stored of them, and their database is closed', async () => {
    await context.device.entries.put({ key: 'lastUserId', value: user.id });
    const close = vi.spyOn(Dexie.prototype, 'close');
    await openLastUser(context);
    expect(context.session.get().status).toBe('loading');
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('a log out', () => {
  /** A user with something in each table. */
  async function fullDatabase() {
    await enter(context, user);
    const { db } = current();
    await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
    await queuePoll(db, user.id, sampleDraft(), 0);
    await db.polls.put(samplePoll());
    for (const list of [db.feed, db.mine, db.trending]) await list.put({ pollId: POLL_ID, position: 0 });
    await db.listMeta.put({ list: 'feed', fetchedAt: 1, etag: null, nextCursor: null, hasMore: false });
    const [op] = await db.ops.toArray();
    if (op === undefined) throw new Error('no op');
    await db.acknowledged.put({ opId: 'a', acknowledgedAt: 1, op, blobs: [] });
    Object.assign(context, answers(json(204, null)));
    return db;
  }

  async function rowCounts() {
    const db = openUserDb('test', user.id);
    await db.open();
    const counts = await Promise.all(db.tables.map(async (table) => [table.name, await table.count()]));
    const ops = await db.ops.toArray();
    db.close();
    return { counts: Object.fromEntries(counts), ops };
  }

  const empty = { acknowledged: 0, polls: 0, feed: 0, mine: 0, trending: 0, listMeta: 0, user: 0 };

  test('empties every cache though what waits is kept', async () => {
    await fullDatabase();
    await logOut(context, 'keep');
    expect((await rowCounts()).counts).toEqual({ ...empty, ops: 2, opBlobs: 2 });
  });

  test('takes back what a drain has leased', async () => {
    const db = await fullDatabase();
    await db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-1:a' });
    await logOut(context, 'keep');
    const { ops } = await rowCounts();
    expect(ops.map(({ state, leaseOwner }) => [state, leaseOwner])).toEqual([
      ['queued', null],
      ['queued', null],
    ]);
  });

  test('discards what waits, and spares what needs the attention of the person', async () => {
    const db = await fullDatabase();
    await db.ops.where('entityId').equals(POLL_ID).modify({ state: 'needs_attention' });
    await logOut(context, 'discard');
    const { counts, ops } = await rowCounts();
    expect(counts).toEqual({ ...empty, ops: 1, opBlobs: 0 });
    expect(ops).toMatchObject([{ entityId: POLL_ID, state: 'needs_attention' }]);
  });

  test('discards only what the person was shown', async () => {
    const db = await fullDatabase();
    const shown = (await db.ops.toArray()).filter(({ type }) => type === 'vote');
    await logOut(
      context,
      'discard',
      shown.map(({ opId }) => opId),
    );
    expect((await rowCounts()).ops).toMatchObject([{ type: 'createPoll' }]);
  });

  test('closes the database and is told to the other tabs', async () => {
    const db = await fullDatabase();
    const before = announced();
    await logOut(context, 'keep');
    expect(db.isOpen()).toBe(false);
    expect(announced()).toBe(before + 1);
  });

  test('of nobody is told to the server all the same', async () => {
    context.session.set({ status: 'visitor' });
    Object.assign(context, answers(json(204, null)));
    await logOut(context, 'keep');
    expect(sent.map(({ path }) => path)).toEqual(['/api/logout']);
  });

  test('reaches the server though the database cannot be emptied', async () => {
    const db = await fullDatabase();
    db.polls.hook('deleting', () => {
      throw new Error('broken');
    });
    vi.spyOn(db, 'transaction').mockRejectedValue(new Error('broken'));
    await expect(logOut(context, 'keep')).rejects.toThrow('broken');
    expect(sent).toHaveLength(1);
    expect(db.isOpen()).toBe(false);
  });
});

describe('a log out that the server has to hear of', () => {
  beforeEach(() => context.device.entries.put({ key: 'signedOut', value: 1 }));

  test('is heard when it answers 204', async () => {
    Object.assign(context, answers(json(204, null)));
    expect(await finishLogOut(context)).toBe(true);
    expect(await entry('signedOut')).toBeUndefined();
    expect(sent).toMatchObject([
      {
        method: 'POST',
        path: '/api/logout',
        headers: { Accept: 'application/json' },
        body: null,
        timeoutMs: 10_000,
      },
    ]);
    expect(await finishLogOut(context)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['the 200 of a log-in page', json(200, null)],
    ['a server in trouble', json(503, null)],
    ['no answer', lost],
  ])('is not heard by %s', async (_what, reply) => {
    Object.assign(context, answers(reply));
    expect(await finishLogOut(context)).toBe(false);
    expect(await entry('signedOut')).toBe(1);
  });
});

describe('a tab that follows another one', () => {
  test('does nothing where the same user is signed in', async () => {
    await enter(context, user);
    sent.length = 0;
    const { generation } = context;
    expect(await followOtherTab(context)).toBe(true);
    expect(sent).toHaveLength(0);
    expect(context.generation).toBe(generation);
  });

  test('asks the server where it waited for this very login, and keeps its database', async () => {
    await enter(context, user);
    const { db } = current();
    await endSession(context);
    expect(await followOtherTab(context)).toBe(true);
    expect(current()).toMatchObject({ needsLogin: false });
    expect(current().db).toBe(db);
    expect(db.isOpen()).toBe(true);
  });

  test('shows nobody once they logged out there, asks nothing, and closes the database', async () => {
    await enter(context, user);
    const { db } = current();
    const asked = sent.length;
    await context.device.entries.delete('lastUserId');
    const { generation } = context;
    expect(await followOtherTab(context)).toBe(true);
    expect(context.session.get().status).toBe('visitor');
    expect(db.isOpen()).toBe(false);
    expect(context.generation).toBeGreaterThan(generation);
    expect(sent).toHaveLength(asked);
  });

  test('shows the cache of another user before the server has said anything', async () => {
    await enter(context, other);
    await enter(context, user);
    const { db } = current();
    await context.device.entries.put({ key: 'lastUserId', value: other.id });
    Object.assign(context, answers(lost));
    expect(await followOtherTab(context)).toBe(false);
    expect(current()).toMatchObject({ user: { id: other.id } });
    expect(db.isOpen()).toBe(false);
  });

  test('of which nobody is signed in stays a visitor when it hears of a log out', async () => {
    context.session.set({ status: 'visitor' });
    expect(await followOtherTab(context)).toBe(true);
    expect(context.session.get().status).toBe('visitor');
  });
});

test('the end of a session makes what waits wait for a login', async () => {
  await enter(context, user);
  const { db } = current();
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, 0);
  Object.assign(context, answers(refusal('unauthenticated')));
  expect(await checkUser(context)).toBe(true);
  expect(current()).toMatchObject({ needsLogin: true });
  expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
});
