import { Dexie } from 'dexie';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EngineHarness, engineHarness, signedIn, VOTE_ROUTE } from '#sync/testing/engine-harness.ts';
import { json, refusal } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { openDeviceDb, openUserDb } from './db.ts';
import { readFeed } from './reads.ts';
import type { DeviceNote } from './types.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('logging out', () => {
  test('clears the cache and tells the server', async () => {
    const engine = device.newEngine();
    await engine.start();
    await engine.logOut('keep');
    expect(engine.session.get().status).toBe('visitor');
    expect(device.sent).toContain('POST /api/logout');
    const db = openUserDb('this-or-that', device.user.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('without a network works at once, and the server hears of it before anything else', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.logOut('keep');
    device.sent = [];
    const later = device.newEngine();
    await later.start();
    expect(later.session.get().status).toBe('visitor');
    device.routes = { 'POST /api/logout': json(204, null), 'GET /api/user': refusal('unauthenticated') };
    device.sent = [];
    await later.start();
    expect(device.sent[0]).toBe('POST /api/logout');
    expect(device.sent).toContain('GET /api/user');
  });

  test('discards what waits, if asked to', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.logOut('discard');
    await engine.signedIn(device.user);
    expect(await signedIn(engine).db.ops.count()).toBe(0);
  });

  test('reaches the server as soon as the network is back', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.logOut('keep');
    device.routes = reachable;
    device.sent.length = 0;
    engine.tryConnection();
    await vi.waitFor(() => expect(device.sent).toContain('POST /api/logout'));
  });

  test('keeps what waits for this account', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.logOut('keep');
    await engine.signedIn(device.user);
    expect(await signedIn(engine).db.ops.count()).toBe(1);
  });
});

describe('a tab that does not hear of the log out in another one', () => {
  const deaf = { announce() {}, listen() {} };

  test('keeps what it reports as saved, for the next log in, and sends none of it', async () => {
    const [one, two] = [device.newEngine({ tabs: deaf }), device.newEngine({ tabs: deaf })];
    await one.start();
    await two.start();
    // Without a network the session goes on for the server, and for a tab that does not ask it.
    device.routes = {};
    const loggingOut = one.logOut('discard', []);
    await two.castVote(POLL_ID, 1);
    await loggingOut;
    device.routes[VOTE_ROUTE] = json(200, {
      poll: samplePoll({ votes: [{ option: 1 }] }),
      user: { ...device.user, points: 11, rev: 2 },
    });
    two.drain();
    await vi.waitFor(() => expect(two.session.get().status).toBe('visitor'));
    expect(device.sent).not.toContain(VOTE_ROUTE);
    const db = openUserDb('this-or-that', device.user.id);
    expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });

  test('loses none of many votes that it saves while the other one logs out', async () => {
    const [one, two] = [device.newEngine({ tabs: deaf }), device.newEngine({ tabs: deaf })];
    await one.start();
    await two.start();
    device.routes = {};
    const polls = Array.from({ length: 16 }, (_, nth) => POLL_ID.replace(/.$/, nth.toString(16)));
    const loggingOut = one.logOut('keep');
    const saved = await Promise.allSettled(polls.map((id) => two.castVote(id, 1)));
    await loggingOut;
    const db = openUserDb('this-or-that', device.user.id);
    const stored = (await db.ops.toArray()).map(({ entityId }) => entityId);
    const reported = polls.filter((_, nth) => saved[nth]?.status === 'fulfilled');
    expect(stored.toSorted()).toEqual(reported);
    expect(reported.length).toBeGreaterThan(0);
  });

  test('caches nothing that it has asked for before', async () => {
    const [one, two] = [device.newEngine({ tabs: deaf }), device.newEngine({ tabs: deaf })];
    await one.start();
    await two.start();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    device.routes['GET /api/user/questions'] = async (request) => {
      asked.resolve();
      await answer.promise;
      return json(200, [samplePoll({ isMine: true })])(request);
    };
    const pulling = two.pullMine();
    await asked.promise;
    await one.logOut('keep');
    answer.resolve();
    expect(await pulling).toBe('failed');
    const db = openUserDb('this-or-that', device.user.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('takes a vote that was on its way out of the queue, but caches no answer', async () => {
    const [one, two] = [device.newEngine({ tabs: deaf }), device.newEngine({ tabs: deaf })];
    await one.start();
    await two.start();
    const take = device.routes[VOTE_ROUTE];
    const answer = Promise.withResolvers<void>();
    device.routes[VOTE_ROUTE] = async (request) => {
      await answer.promise;
      return (await take?.(request)) ?? 'lost';
    };
    await two.castVote(POLL_ID, 1);
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    await one.logOut('keep');
    answer.resolve();
    const db = openUserDb('this-or-that', device.user.id);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });
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
  /** A tab of an earlier version that is suspended: it has the database open and never makes way for an upgrade. */
  async function suspendedOldTab(): Promise<() => void> {
    const engine = device.newEngine();
    await engine.start();
    const name = signedIn(engine).db.name;
    await engine.logOut('keep');
    await Dexie.delete(name);
    const old = new Dexie(name);
    old.version(1).stores(FIRST_SCHEMA);
    await old.open();
    await old.table('user').add(device.user);
    // Neither closes at once nor later, and is not asked by its own library.
    old.on('versionchange', () => false);
    return () => old.close();
  }

  test('is none where the old tab is awake: it makes way, and what it stores later is sent', async () => {
    const name = `this-or-that-user-${device.user.id}`;
    const old = new Dexie(name);
    old.version(1).stores(FIRST_SCHEMA);
    await old.open();
    await old.table('user').add(device.user);
    await openDeviceDb('this-or-that').entries.put({ key: 'lastUserId', value: device.user.id });
    const engine = device.newEngine();
    await engine.start();
    expect(signedIn(engine).db.verno).toBe(2);
    // As the first release queues a vote.
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

  test('is told after 5 seconds, and opened as soon as the other tab is closed', async () => {
    const close = await suspendedOldTab();
    const entries = openDeviceDb('this-or-that').entries;
    await entries.put({ key: 'lastUserId', value: device.user.id });
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

  test('does not let a log in hang', async () => {
    await suspendedOldTab();
    const engine = device.newEngine();
    device.routes['GET /api/user'] = refusal('unauthenticated');
    await engine.start();
    const entering = engine.signedIn(device.user).then(
      () => 'entered',
      (error: Error) => error.name,
    );
    let ended: string | null = null;
    void entering.then((end) => {
      ended = end;
    });
    await vi.waitFor(() => {
      device.clock.advance(1_000);
      expect(ended).toBe('TimeLimitError');
    });
  });
});

describe('a device whose data the browser removes', () => {
  const usedBefore: DeviceNote = {
    hasBeenUsed: () => true,
    readWaiting: () => ({ userId: device.user.id, count: 3 }),
  };
  const opened: Dexie[] = [];
  Dexie.addons.push((db) => opened.push(db));

  /** As a browser does it to a page that is open: the connection closes, and the next one finds nothing. */
  async function evictOpen(): Promise<void> {
    const names = await Dexie.getDatabaseNames();
    for (const db of opened) db.close({ disableAutoOpen: false });
    await Promise.all(names.map((name) => Dexie.delete(name)));
  }

  test('is told about at the next start, when the session is all that is left', async () => {
    const engine = device.newEngine({ deviceNote: usedBefore });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: 3 });
  });

  test('is not told about when nothing waited', async () => {
    const readWaiting = () => ({ userId: device.user.id, count: 0 });
    const engine = device.newEngine({ deviceNote: { ...usedBefore, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toBeNull();
  });

  test("is told about without a number when what waited was another user's", async () => {
    const readWaiting = () => ({ userId: device.user.id + 1, count: 3 });
    const engine = device.newEngine({ deviceNote: { ...usedBefore, readWaiting } });
    await engine.start();
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: null });
  });

  test('is not told about where the app was never used', async () => {
    const engine = device.newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('user');
    expect(engine.eviction.get()).toBeNull();
  });

  test('is not told about after a log in', async () => {
    device.routes['GET /api/user'] = refusal('unauthenticated');
    const engine = device.newEngine({ deviceNote: usedBefore });
    await engine.start();
    device.routes['GET /api/user'] = json(200, device.user);
    await engine.signedIn(device.user);
    await engine.refreshUser();
    expect(engine.eviction.get()).toBeNull();
  });

  test('shows what is stored afterwards, with the tab still open', async () => {
    const engine = device.newEngine();
    await engine.start();
    delete device.routes[VOTE_ROUTE];
    const { db } = signedIn(engine);
    await evictOpen();
    await engine.createPoll(sampleDraft());
    expect(engine.eviction.get()).toEqual({ userId: device.user.id, lostChanges: null });
    expect((await readFeed(db, device.clock.now())).latest).toHaveLength(1);
    const later = device.newEngine();
    await later.start();
    expect(later.session.get().status).toBe('user');
  });
});

describe('answers that come late', () => {
  /** Holds back the answer to `GET /api/user` until it is let go. */
  function holdBackUser() {
    const answer = device.routes['GET /api/user'];
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    device.routes['GET /api/user'] = async (request) => {
      await gate;
      return answer?.(request) ?? 'lost';
    };
    return () => letGo();
  }

  test('do not undo a log out', async () => {
    await device.newEngine().start();
    const letGo = holdBackUser();
    delete device.routes['POST /api/logout'];
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(engine.session.get().status).toBe('user'));
    await engine.logOut('keep');
    letGo();
    await started;
    expect(engine.session.get().status).toBe('visitor');

    device.routes['POST /api/logout'] = json(204, null);
    device.sent.length = 0;
    await device.newEngine().start();
    expect(device.sent[0]).toBe('POST /api/logout');
  });

  test('do not end a session that has just begun', async () => {
    device.routes['GET /api/user'] = refusal('unauthenticated');
    const letGo = holdBackUser();
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    device.routes['GET /api/user'] = json(200, device.user);
    await engine.signedIn(device.user);
    letGo();
    await started;
    expect(signedIn(engine).needsLogin).toBe(false);
  });
});

describe('two tabs', () => {
  test('logging out in one logs out the other', async () => {
    const [one, two] = [device.newEngine(), device.newEngine()];
    await one.start();
    await two.start();
    await one.logOut('keep');
    await vi.waitFor(() => expect(two.session.get().status).toBe('visitor'));
  });

  test('logging in as somebody else in one moves the other along', async () => {
    const [one, two] = [device.newEngine(), device.newEngine()];
    await one.start();
    await two.start();
    const other = sampleUser({ id: device.user.id + 20_000, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, other);
    await one.signedIn(other);
    await vi.waitFor(() => expect(signedIn(two).user.username).toBe('ruth-a'));
  });
});
