import { beforeEach, expect, test, vi } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { moveOps, queueOp, queuePoll } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, json, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

/** Replies with `failure` to votes on `POLL_ID`, and accepts all others. */
function failOnePoll(failure: Reply): Reply {
  const accept = device.applied({ id: OTHER_POLL_ID });
  return (request) => (request.path.includes(POLL_ID) ? failure(request) : accept(request));
}

test('an op that always fails delays the others by only one attempt', async () => {
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
  const { transport, sent } = scriptedTransport(failOnePoll(errorResponse('busy', { 'Retry-After': '5' })));
  const context = device.context(transport);
  const waitMs = await drainLane(context, 'votes');
  expect(waitMs).toBe(5_000);
  device.clock.advance(waitMs ?? 0);
  await drainLane(context, 'votes');
  expect(sent.slice(0, 2).map(({ path }) => path.includes(POLL_ID))).toEqual([true, false]);
  expect(await device.db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
});

test('an op that never gets a response is retried after all others', async () => {
  const questions = ['No response?', 'Second?', 'Third?', 'Fourth?'];
  for (const question of questions) {
    await queuePoll(device.db, device.userId, sampleDraft({ question }), device.clock.now());
  }
  const sentQuestions: string[] = [];
  const accept = device.applied();
  const { transport } = scriptedTransport((request) => {
    const question = String((request.body as FormData).get('question'));
    sentQuestions.push(question);
    return question === questions[0] ? 'no_response' : accept(request);
  });
  const context = device.context(transport);
  for (let round = 1; round <= 4; round += 1) {
    await drainLane(context, 'creations');
    device.clock.advance(30_000);
  }
  expect(sentQuestions.slice(0, 4)).toEqual(questions);
});

test('an op that never gets a response is retried after all others, even those that have to wait for another op', async () => {
  const { db, userId, clock } = device;
  await device.voteOn(POLL_ID);
  const payload = { username: 'ada' };
  await queueOp(db, userId, { type: 'block', payload }, clock.now());
  // Only a block that may have been sent is not replaced by the unblock.
  await db.ops.toCollection().modify({ firstLeasedAt: clock.now() });
  await queueOp(db, userId, { type: 'unblock', payload }, clock.now());
  const { transport, sent } = scriptedTransport(failOnePoll(() => 'no_response'));
  const context = device.context(transport);
  const waitMs = await drainLane(context, 'votes');
  clock.advance(waitMs ?? 0);
  await drainLane(context, 'votes');
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PUT', 'DELETE', 'POST']);
  expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
});

test('a server that has requested a pause gets no requests, however often a drain is triggered', async () => {
  for (const pollId of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(pollId);
  const { transport, sent } = scriptedTransport(errorResponse('rate_limited', { 'Retry-After': '60' }));
  const context = device.context(transport);
  for (let second = 0; second < 59; second += 1) {
    await drainLane(context, 'votes');
    device.clock.advance(1_000);
  }
  expect(sent).toHaveLength(1);
  device.clock.advance(1_000);
  await drainLane(context, 'votes');
  expect(sent).toHaveLength(2);
});

test('attempts pause if the server says repeatedly that the session has ended', async () => {
  await device.voteOn(POLL_ID);
  const { transport, sent } = scriptedTransport(errorResponse('unauthenticated'));
  const context = device.context(transport, { random: () => 0.99 });
  for (let passedMs = 0; passedMs < 60_000; passedMs += 100) {
    await drainLane(context, 'votes');
    // The session check reports the session as valid.
    await moveOps(device.db, 'blocked_auth', 'queued');
    device.clock.advance(100);
  }
  // The attempts are followed by pauses of about 1, 2, 4, 8, 16 and 30 seconds.
  expect(sent).toHaveLength(6);
});

test('an op with a damaged image needs a decision after five attempts', async () => {
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  await device.db.opBlobs.toCollection().modify({ bytes: new Uint8Array([9]).buffer });
  const { transport, sent } = scriptedTransport(errorResponse('internal'));
  const context = device.context(transport);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await drainLane(context, 'creations');
    device.clock.advance(60_000);
  }
  expect(sent).toHaveLength(0);
  expect(await device.db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
});

test('an acknowledged vote is settled even if the request of the next vote hangs', async () => {
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
  let endRequest = () => {};
  const accept = device.applied();
  const { transport } = scriptedTransport(
    accept,
    () => new Promise((resolve) => (endRequest = () => resolve('no_response'))),
  );
  const draining = drainLane(device.context(transport), 'votes');
  await vi.waitFor(async () => {
    device.clock.advance(200);
    expect(device.events).toMatchObject([{ type: 'applied' }]);
  });
  expect(await device.db.ops.count()).toBe(1);
  endRequest();
  await draining;
});

const pollIds = (count: number) =>
  Array.from({ length: count }, (_, index) => OTHER_POLL_ID.replace(/.$/, index.toString(16)));

test('votes that have failed before are sent individually, at most three at a time', async () => {
  for (const id of pollIds(8)) await device.voteOn(id);
  await device.db.ops.toCollection().modify({ attempts: 1 });
  const concurrencies: number[] = [];
  let inFlight = 0;
  const { transport } = scriptedTransport(async (request) => {
    inFlight += 1;
    concurrencies.push(inFlight);
    await settled();
    inFlight -= 1;
    return json(200, { poll: null, user: sampleUser({ id: device.userId, points: 51, rev: 2 }) })(request);
  });
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();
  expect(concurrencies).toHaveLength(8);
  // The first vote is sent alone.
  expect(concurrencies.slice(0, 2)).toEqual([1, 1]);
  expect(Math.max(...concurrencies)).toBe(3);
  expect(await device.db.ops.count()).toBe(0);
});

test('votes that fail together count as one failure of the lane', async () => {
  for (const id of pollIds(6)) await device.voteOn(id);
  await device.db.ops.toCollection().modify({ attempts: 1 });
  const accept = json(200, { poll: null, user: sampleUser({ id: device.userId, points: 51, rev: 2 }) });
  const { transport, sent } = scriptedTransport(accept, () => 'no_response');
  const context = device.context(transport);
  await drainLane(context, 'votes');
  expect(sent).toHaveLength(4);
  expect(context.backoff.votes.failures).toBe(1);
  const attempts = (await device.db.ops.toArray()).map((op) => [op.state, op.attempts]);
  expect(attempts).toEqual([
    ['queued', 2],
    ['queued', 2],
    ['queued', 2],
    ['queued', 1],
    ['queued', 1],
  ]);
});

test('no more votes are sent after an unexpected error, and the next drain sends the rest', async () => {
  for (const id of pollIds(6)) await device.voteOn(id);
  // Sent individually: the first alone, then three at a time.
  await device.db.ops.toCollection().modify({ attempts: 1 });
  const accept = json(200, { poll: null, user: sampleUser({ id: device.userId, points: 51, rev: 2 }) });
  const { transport, sent } = scriptedTransport(accept);
  let sendLockCount = 0;
  const lock = localLock();
  const run: typeof lock.run = async (name, job) => {
    if (name.startsWith('send:')) sendLockCount += 1;
    if (sendLockCount === 2) throw new Error('no lock');
    return lock.run(name, job);
  };
  await expect(drainLane(device.context(transport, { lock: { ...lock, run } }), 'votes')).rejects.toThrow(
    'no lock',
  );
  // The first vote, and the two that are sent at the same time as the one with the error.
  expect(sent).toHaveLength(3);
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();
  expect(await device.db.ops.count()).toBe(0);
});
