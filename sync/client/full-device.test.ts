import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { engineHarness, userSessionOf, VOTE_ROUTE } from '#sync/testing/engine-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { errorResponse, noResponse } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { loggedInUserId, openDeviceDb, openUserDb } from './db.ts';

/** Matches the state of an op that is queued or being sent. */
const WAITING = expect.stringMatching(/^(queued|sending)$/);

let device: ReturnType<typeof engineHarness>;
let isFull: boolean;
const freesNothing = async () => {};
const freesSpace = async () => {
  isFull = false;
};

function newEngine(dropImages = freesNothing) {
  return device.newEngine({ storage: { ...fakeBrowser.storage, dropImages } });
}

/** While the device is full, databases that are opened from now on accept only deletions. */
function rejectWrites(db: Dexie) {
  db.use({
    stack: 'dbcore',
    name: 'full',
    create: (core) => ({
      ...core,
      table: (name) => {
        const table = core.table(name);
        return {
          ...table,
          mutate(request) {
            if (isFull && 'values' in request && request.values.length > 0)
              throw new DOMException('full', 'QuotaExceededError');
            return table.mutate(request);
          },
        };
      },
    }),
  });
}

beforeEach(() => {
  device = engineHarness();
  isFull = false;
  Dexie.addons.push(rejectWrites);
});

afterEach(() => {
  Dexie.addons.splice(Dexie.addons.indexOf(rejectWrites), 1);
});

test('a start on a full device shows the last user', async () => {
  const firstEngine = device.newEngine();
  await firstEngine.start();
  expect(userSessionOf(firstEngine).user.id).toBe(device.serverUser.id);
  isFull = true;
  const laterEngine = device.newEngine();
  await laterEngine.start();
  expect(userSessionOf(laterEngine).user.id).toBe(device.serverUser.id);
});

test('a login deletes cached images if there is no space to store who is logged in', async () => {
  const engine = newEngine(freesSpace);
  await engine.start();
  await openDeviceDb('this-or-that').entries.delete('lastUserId');
  isFull = true;
  await engine.setUser(device.serverUser);
  expect(await loggedInUserId(openDeviceDb('this-or-that'))).toBe(device.serverUser.id);
});

test('a login deletes cached images if there is no space to unblock waiting ops', async () => {
  const engine = newEngine(freesSpace);
  await engine.start();
  device.routes[VOTE_ROUTE] = noResponse;
  await engine.queue(newVote(POLL_ID, 1));
  const { ops } = userSessionOf(engine).db;
  await settled();
  await ops.toCollection().modify({ state: 'blocked_auth' });
  isFull = true;
  await engine.setUser(device.serverUser);
  expect(await ops.toArray()).toMatchObject([{ state: WAITING }]);
});

test('a retry deletes cached images if there is no space to queue the op again', async () => {
  const engine = newEngine(freesSpace);
  await engine.start();
  device.routes[VOTE_ROUTE] = errorResponse('poll_closed');
  await engine.queue(newVote(POLL_ID, 1));
  const { ops } = userSessionOf(engine).db;
  await vi.waitFor(async () => expect(await ops.toArray()).toMatchObject([{ state: 'rejected' }]));
  const [refused] = await ops.toArray();
  device.routes[VOTE_ROUTE] = noResponse;
  isFull = true;
  await engine.tryAgain(refused?.opId ?? '');
  expect(await ops.toArray()).toMatchObject([{ state: WAITING }]);
});

describe('a logout on a full device', () => {
  const logoutCount = () => device.sent.filter((route) => route === 'POST /api/logout').length;

  /** Starts an engine with two waiting votes. */
  async function startedEngine(dropImages?: typeof freesSpace) {
    const engine = newEngine(dropImages);
    await engine.start();
    device.routes[VOTE_ROUTE] = noResponse;
    await engine.queue(newVote(POLL_ID, 1));
    await engine.queue(newVote(OTHER_POLL_ID, 1));
    isFull = true;
    return engine;
  }

  async function tableCounts() {
    const db = openUserDb('this-or-that', device.serverUser.id);
    const counts = await Promise.all(
      db.tables.map(async (table) => [table.name, await table.count()] as const),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  test('deletes cached images to store the logout, which reaches the server later', async () => {
    const engine = await startedEngine(freesSpace);
    const reachable = device.routes;
    device.routes = {};
    await engine.logOut('keep');
    expect(engine.session.get().status).toBe('visitor');
    device.routes = { ...reachable, 'GET /api/user': errorResponse('unauthenticated') };
    device.sent.length = 0;
    await device.newEngine().start();
    expect(logoutCount()).toBe(1);
  });

  test.each([
    ['keep', { account: 1, ops: 2 }],
    ['discard', {}],
  ] as const)(
    'that still cannot be stored is sent at once, and deletes the cache (%s)',
    async (waiting, kept) => {
      const engine = await startedEngine();
      await engine.logOut(waiting);
      expect(engine.session.get().status).toBe('visitor');
      expect(logoutCount()).toBe(1);
      expect(await tableCounts()).toEqual(kept);
      expect(await loggedInUserId(openDeviceDb('this-or-that'))).toBeNull();
    },
  );

  test('that cannot be stored or sent fails, and the user remains logged in', async () => {
    const engine = await startedEngine();
    device.routes = {};
    await expect(engine.logOut('keep')).rejects.toMatchObject({ code: 'storage_full' });
    expect(userSessionOf(engine).user.id).toBe(device.serverUser.id);
    expect(await tableCounts()).toMatchObject({ user: 1, ops: 2 });
  });
});
