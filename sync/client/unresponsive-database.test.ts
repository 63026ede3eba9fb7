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
import { openDeviceDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** Keeps a transaction of another tab on the device's database open until the end of the test. */
async function holdDeviceDb(): Promise<void> {
  const db = openDeviceDb('this-or-that');
  let isHeld = true;
  const holds = Promise.withResolvers<void>();
  const holding = db.transaction('rw', db.entries, async () => {
    while (isHeld) {
      await db.entries.get('lastUserId');
      holds.resolve();
    }
  });
  await holds.promise;
  onTestFinished(async () => {
    isHeld = false;
    await holding;
    db.close();
  });
}

/** How `work` ends: `done` or the name of its error; null while it has not ended. */
function follow(work: Promise<unknown>) {
  const end: { name: string | null } = { name: null };
  work.then(
    () => {
      end.name = 'done';
    },
    (error: Error) => {
      end.name = error.name;
    },
  );
  return end;
}

test('a login whose data cannot be stored fails after 20 seconds', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  await holdDeviceDb();
  const end = follow(engine.setUser(device.user));
  device.clock.advance(19_999);
  await new Promise(setImmediate);
  expect(end.name).toBeNull();
  device.clock.advance(1);
  await vi.waitFor(() => expect(end.name).toBe('BrowserTimeoutError'));
});

test('a login that has to send a pending logout first fails after 20 seconds', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  await holdDeviceDb();
  const end = follow(engine.finishLogout());
  device.clock.advance(20_000);
  await vi.waitFor(() => expect(end.name).toBe('BrowserTimeoutError'));
});

test('ops of another tab are sent after a signal, even if they could not be made due', async () => {
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

test('a read that never settles fails after 60 seconds, and the next one is sent', async () => {
  const engine = device.newEngine();
  await engine.start();
  let requestCount = 0;
  device.routes['GET /api/trending'] = (request) => {
    requestCount += 1;
    return requestCount === 1 ? new Promise(() => {}) : json(200, [])(request);
  };
  const end = follow(engine.pullTrending());
  await vi.waitFor(() => expect(requestCount).toBe(1));
  device.clock.advance(59_999);
  await new Promise(setImmediate);
  expect(end.name).toBeNull();
  device.clock.advance(1);
  await vi.waitFor(() => expect(end.name).toBe('BrowserTimeoutError'));
  expect(userSessionOf(engine).needsLogin).toBe(false);
  expect(await engine.pullTrending()).toBe('updated');
  expect(requestCount).toBe(2);
});
