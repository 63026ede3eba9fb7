import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { User } from '#shared/auth/schema.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, type Reply, refusal } from '#sync/testing/fake-transport.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { createEngine } from './engine.ts';
import { localLock } from './lock.ts';
import { type Engine, NetworkFailure, type TransportRequest } from './types.ts';

/** Answers by `METHOD /path`; what is not named cannot be reached. */
type Routes = Record<string, Reply>;

let routes: Routes;
let sent: string[];
const userId = 5_000;
let user: User;
let listeners: Set<() => void>;
const clock = fakeClock();

/** A tab among others: whatever one announces, all the others hear. */
function tabOf(all: Set<() => void>) {
  let own = () => {};
  return {
    announce() {
      for (const listener of all) if (listener !== own) listener();
    },
    listen(listener: () => void) {
      own = listener;
      all.add(listener);
    },
  };
}

function newEngine(): Engine {
  const transport = async (request: TransportRequest) => {
    const route = `${request.method} ${request.path.split('?')[0]}`;
    sent.push(route);
    const answer = await routes[route]?.(request);
    if (answer === undefined || answer === 'lost') throw new NetworkFailure('lost');
    return answer;
  };
  const tabs = tabOf(listeners);
  return createEngine({ transport, clock, tabs, lock: localLock(), random: () => 0.5 }, 'tab');
}

function signedIn(engine: Engine) {
  const session = engine.session.get();
  if (session.status !== 'user') throw new Error(`expected a user, not ${session.status}`);
  return session;
}

beforeEach(() => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  user = sampleUser({ id: userId });
  sent = [];
  listeners = new Set();
  routes = {
    'GET /api/user': json(200, user),
    'POST /api/logout': json(204, null),
    [`POST /api/questions/${POLL_ID}/vote`]: json(200, {
      poll: samplePoll({ votes: [{ option: 1 }], rev: 6 }),
      user: { ...user, points: 11, rev: 2 },
    }),
  };
});

describe('starting', () => {
  test('a device that knows nobody asks the server', async () => {
    const engine = newEngine();
    expect(engine.session.get().status).toBe('loading');
    await engine.start();
    expect(signedIn(engine).user.id).toBe(userId);
  });

  test('nobody is signed in', async () => {
    routes['GET /api/user'] = refusal('unauthenticated');
    const engine = newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('visitor');
  });

  test('without a network the last user is there at once', async () => {
    await newEngine().start();
    routes = {};
    const engine = newEngine();
    await engine.start();
    expect(signedIn(engine)).toMatchObject({ user: { id: userId }, needsLogin: false });
  });

  test('when the session has ended, cache and queue stay and wait for a login', async () => {
    await newEngine().start();
    routes = {};
    const engine = newEngine();
    await engine.start();
    await engine.castVote(POLL_ID, 1);
    routes['GET /api/user'] = refusal('unauthenticated');
    await engine.start();
    expect(signedIn(engine).needsLogin).toBe(true);
    expect(await signedIn(engine).db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]);
  });
});

describe('a vote', () => {
  test('is stored first and sent at once', async () => {
    const engine = newEngine();
    await engine.start();
    const applied = vi.fn();
    engine.onEvent(applied);
    await engine.castVote(POLL_ID, 1);
    await vi.waitFor(() => expect(applied).toHaveBeenCalledTimes(1));
    expect(applied.mock.calls[0]?.[0]).toMatchObject({ type: 'applied', poll: { rev: 6 } });
    expect(await signedIn(engine).db.ops.count()).toBe(0);
  });

  test('given without a network is sent when it is back', async () => {
    const engine = newEngine();
    await engine.start();
    const reachable = routes;
    routes = {};
    await engine.castVote(POLL_ID, 1);
    await vi.waitFor(async () =>
      expect(await signedIn(engine).db.ops.toArray()).toMatchObject([{ state: 'queued', attempts: 1 }]),
    );
    routes = reachable;
    engine.drain();
    await vi.waitFor(async () => expect(await signedIn(engine).db.ops.count()).toBe(0));
  });

  test('is never sent as another user, and comes back with its own', async () => {
    const engine = newEngine();
    await engine.start();
    const reachable = routes;
    routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.signedIn(sampleUser({ id: userId + 10_000 }));
    routes = reachable;
    sent = [];
    engine.drain();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent).toEqual([]);
    await engine.signedIn(user);
    await vi.waitFor(() => expect(sent).toEqual([`POST /api/questions/${POLL_ID}/vote`]));
  });
});

describe('logging out', () => {
  test('clears the cache and tells the server', async () => {
    const engine = newEngine();
    await engine.start();
    await engine.logOut();
    expect(engine.session.get().status).toBe('visitor');
    expect(sent).toContain('POST /api/logout');
    expect(await Dexie.getDatabaseNames()).not.toContain(`this-or-that-user-${userId}`);
  });

  test('without a network works at once, and the server hears of it before anything else', async () => {
    const engine = newEngine();
    await engine.start();
    routes = {};
    await engine.logOut();
    sent = [];
    const later = newEngine();
    await later.start();
    expect(later.session.get().status).toBe('visitor');
    routes = { 'POST /api/logout': json(204, null), 'GET /api/user': refusal('unauthenticated') };
    sent = [];
    await later.start();
    expect(sent).toEqual(['POST /api/logout', 'GET /api/user']);
  });

  test('keeps what waits for this account', async () => {
    const engine = newEngine();
    await engine.start();
    routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.logOut();
    await engine.signedIn(user);
    expect(await signedIn(engine).db.ops.count()).toBe(1);
  });
});

describe('two tabs', () => {
  test('logging out in one logs out the other', async () => {
    const [one, two] = [newEngine(), newEngine()];
    await one.start();
    await two.start();
    await one.logOut();
    await vi.waitFor(() => expect(two.session.get().status).toBe('visitor'));
  });

  test('logging in as somebody else in one moves the other along', async () => {
    const [one, two] = [newEngine(), newEngine()];
    await one.start();
    await two.start();
    const other = sampleUser({ id: userId + 20_000, username: 'ruth-a' });
    routes['GET /api/user'] = json(200, other);
    await one.signedIn(other);
    await vi.waitFor(() => expect(signedIn(two).user.username).toBe('ruth-a'));
  });
});
