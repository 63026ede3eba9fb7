import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '#shared/time.ts';
import { type DrainHarness, FIRST_PAUSE_MS } from '#sync/testing/drain-harness.ts';
import { type DrainerHarness, drainerHarness, IDLE_DRAIN_DELAY_MS } from '#sync/testing/drainer-harness.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';

let tab: DrainerHarness;
let device: DrainHarness;

beforeEach(async () => {
  tab = await drainerHarness();
  device = tab.device;
});

describe('the next drain of a lane', () => {
  test('starts every 30 seconds if nothing waits', async () => {
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    device.clock.advance(IDLE_DRAIN_DELAY_MS);
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
  });

  test('starts when the next op is due', async () => {
    await device.voteOn(POLL_ID);
    const { drainer, sent } = tab.drainerWith([noResponse, device.applied()]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(FIRST_PAUSE_MS);
    device.clock.advance(FIRST_PAUSE_MS);
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(sent).toHaveLength(2);
  });

  test('starts after 30 seconds even if the server has requested a longer pause', async () => {
    await device.voteOn(POLL_ID);
    const { drainer } = tab.drainerWith([errorResponse('rate_limited', { 'Retry-After': '60' })]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
  });

  test('does not start before 50 milliseconds have passed', async () => {
    await device.voteOn(POLL_ID);
    const { drainer } = tab.drainerWith([noResponse], { random: () => 0 });
    drainer.drain('votes');
    await tab.expectNextDrainsIn(50);
  });

  test('is scheduled once for each lane, however often the lane is drained', async () => {
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drainAll();
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS, IDLE_DRAIN_DELAY_MS);
    drainer.drain('votes');
    drainer.drain('creations');
    await settled();
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS, IDLE_DRAIN_DELAY_MS);
  });

  test('starts even after a failed drain', async () => {
    device.db.close();
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(tab.calls.requestBackgroundDrain).toHaveBeenCalledOnce();
  });
});

describe('a lane', () => {
  test('has one drain at a time, followed by one more for all calls during that drain', async () => {
    await device.voteOn(POLL_ID);
    const responseGate = Promise.withResolvers<void>();
    const accept = device.applied();
    const { drainer, sent, isLoggedInHere } = tab.drainerWith([
      async (request) => {
        await responseGate.promise;
        return accept(request);
      },
    ]);
    drainer.drain('votes');
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    drainer.drain('votes');
    drainer.drain('votes');
    const checkCount = isLoggedInHere.mock.calls.length;
    await settled();
    expect(isLoggedInHere).toHaveBeenCalledTimes(checkCount);
    responseGate.resolve();
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    // The running drain checks once more for due ops, and then the requested one does.
    await settled();
    expect(isLoggedInHere).toHaveBeenCalledTimes(checkCount + 2);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['sends an op again at once if its failed attempt began before the browser came online', true, 2],
    ['waits for the retry delay of a failed op if the browser did not come online', false, 1],
  ])('%s', async (_case, cameOnline, attempts) => {
    await device.voteOn(POLL_ID);
    const failure = Promise.withResolvers<void>();
    const { drainer, sent } = tab.drainerWith([
      async (request) => {
        await failure.promise;
        return noResponse(request);
      },
      device.applied(),
    ]);
    drainer.drain('votes');
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    if (cameOnline) drainer.drainAllAfterSignal();
    else drainer.drainAll();
    failure.resolve();
    // The clock does not advance.
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS, cameOnline ? IDLE_DRAIN_DELAY_MS : FIRST_PAUSE_MS);
    expect(sent).toHaveLength(attempts);
  });

  test("is not delayed by another user's running drain", async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport((request) =>
      request.path.includes(POLL_ID) ? new Promise(() => {}) : json(503, null)(request),
    );
    const { drainer } = tab.drainerWith([], { transport });
    drainer.drain('votes');
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    const { db, userId } = await freshUserDb();
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, device.clock.now());
    tab.logIn({ user: sampleUser({ id: userId }), db });
    drainer.drain('votes');
    await vi.waitFor(() => expect(sent).toHaveLength(2));
  });

  test("keeps the time of its next drain when another user's drain ends", async () => {
    await device.voteOn(POLL_ID);
    const formerResponse = Promise.withResolvers<void>();
    const accept = device.applied();
    const { drainer, sent } = tab.drainerWith([
      async (request) => {
        await formerResponse.promise;
        return accept(request);
      },
      noResponse,
    ]);
    drainer.drain('votes');
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    const { db, userId } = await freshUserDb();
    await queueVote(db, { userId, pollId: OTHER_POLL_ID, option: 1 }, device.clock.now());
    tab.logIn({ user: sampleUser({ id: userId }), db });
    drainer.drain('votes');
    await vi.waitFor(async () => expect(await db.ops.toArray()).toMatchObject([{ attempts: 1 }]));
    await settled();
    formerResponse.resolve();
    await settled();
    expect(await device.db.ops.count()).toBe(0);
    await tab.expectNextDrainsIn(FIRST_PAUSE_MS);
  });
});

describe('a background drain is requested', () => {
  test('while an op waits, at most every 30 seconds', async () => {
    await device.voteOn(POLL_ID);
    const { drainer } = tab.drainerWith([errorResponse('rate_limited', { 'Retry-After': '60' })]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(tab.calls.requestBackgroundDrain).toHaveBeenCalledTimes(1);
    device.clock.advance(IDLE_DRAIN_DELAY_MS - 1);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(tab.calls.requestBackgroundDrain).toHaveBeenCalledTimes(1);
    device.clock.advance(1);
    drainer.drain('votes');
    await vi.waitFor(() => expect(tab.calls.requestBackgroundDrain).toHaveBeenCalledTimes(2));
  });

  test('even after the clock was set back', async () => {
    await device.voteOn(POLL_ID);
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(FIRST_PAUSE_MS);
    device.clock.setBack(DAY_MS);
    drainer.drain('votes');
    await vi.waitFor(() => expect(tab.calls.requestBackgroundDrain).toHaveBeenCalledTimes(2));
  });

  test('only if an op waits', async () => {
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(tab.calls.requestBackgroundDrain).not.toHaveBeenCalled();
  });
});

test('resetLaneBackoff ends the pause of a lane', async () => {
  await device.voteOn(POLL_ID);
  const { drainer, sent } = tab.drainerWith([
    errorResponse('rate_limited', { 'Retry-After': '60' }),
    device.applied(),
  ]);
  drainer.drain('votes');
  await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
  // The op itself is due again: only its lane still pauses.
  await device.db.ops.toCollection().modify({ nextAttemptAt: 0 });
  drainer.drain('votes');
  await settled();
  expect(sent).toHaveLength(1);
  drainer.resetLaneBackoff();
  drainer.drain('votes');
  await vi.waitFor(() => expect(sent).toHaveLength(2));
});

describe('a database that does not respond', () => {
  const hangTransactions = () =>
    vi.spyOn(device.db, 'transaction').mockImplementation(() => new Promise(() => {}) as never);
  const drainUntilTimeout = async () => {
    await device.voteOn(POLL_ID);
    const hung = hangTransactions();
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await vi.waitFor(() => expect(hung).toHaveBeenCalled());
    device.clock.advance(20_000);
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    hung.mockRestore();
  };

  test('is closed, so that the next drain reopens it', async () => {
    await drainUntilTimeout();
    expect(device.db.isOpen()).toBe(false);
    expect(await device.db.ops.count()).toBe(1);
    expect(device.db.isOpen()).toBe(true);
  });

  test('remains open if the drain failed for another reason', async () => {
    await device.voteOn(POLL_ID);
    vi.spyOn(device.db, 'transaction').mockRejectedValueOnce(new Error('something else'));
    const { drainer } = tab.drainerWith([noResponse]);
    drainer.drain('votes');
    await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
    expect(device.db.isOpen()).toBe(true);
  });
});
