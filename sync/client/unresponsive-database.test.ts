import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { openDeviceDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** Blocks the device's database with a transaction of another tab until the end of the test. */
async function blockDeviceDb(): Promise<void> {
  const db = openDeviceDb('this-or-that');
  let isBlocking = true;
  const started = Promise.withResolvers<void>();
  const transaction = db.transaction('rw', db.entries, async () => {
    while (isBlocking) {
      await db.entries.get('lastUserId');
      started.resolve();
    }
  });
  await started.promise;
  onTestFinished(async () => {
    isBlocking = false;
    await transaction;
    db.close();
  });
}

/** Tracks `work`. `result` is null until it ends, then `done` or the name of its error. */
function track(work: Promise<unknown>) {
  const tracked: { result: string | null } = { result: null };
  work.then(
    () => {
      tracked.result = 'done';
    },
    (error: Error) => {
      tracked.result = error.name;
    },
  );
  return tracked;
}

test('a login whose data cannot be stored fails after 20 seconds', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  await blockDeviceDb();
  const login = track(engine.setUser(device.serverUser));
  device.clock.advance(19_999);
  await settled();
  expect(login.result).toBeNull();
  device.clock.advance(1);
  await vi.waitFor(() => expect(login.result).toBe('BrowserTimeoutError'));
});

test('looking for a pending logout before a login fails after 20 seconds', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  await blockDeviceDb();
  const logout = track(engine.finishLogout());
  device.clock.advance(20_000);
  await vi.waitFor(() => expect(logout.result).toBe('BrowserTimeoutError'));
});

test('waiting ops are sent when the connection is tried, even if making them due in the database hangs', async () => {
  const engine = device.newEngine();
  await engine.start();
  const { db, user } = userSessionOf(engine);
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, device.clock.now());
  const hung = vi.spyOn(db.ops, 'where').mockImplementationOnce((() => ({
    equals: () => ({ modify: () => new Promise(() => {}) }),
  })) as never);
  engine.tryConnection();
  expect(hung).toHaveBeenCalled();
  device.clock.advance(20_000);
  await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
});

test('a pull whose request hangs fails after 60 seconds, and the next pull succeeds', async () => {
  const engine = device.newEngine();
  await engine.start();
  let requestCount = 0;
  device.routes['GET /api/trending'] = (request) => {
    requestCount += 1;
    return requestCount === 1 ? new Promise(() => {}) : json(200, [])(request);
  };
  const pull = track(engine.pullTrending());
  await vi.waitFor(() => expect(requestCount).toBe(1));
  device.clock.advance(59_999);
  await settled();
  expect(pull.result).toBeNull();
  device.clock.advance(1);
  await vi.waitFor(() => expect(pull.result).toBe('BrowserTimeoutError'));
  expect(userSessionOf(engine).needsLogin).toBe(false);
  expect(await engine.pullTrending()).toBe('updated');
  expect(requestCount).toBe(2);
});
