import { beforeEach, expect, test, vi } from 'vitest';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { type Reply, refusal, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';
import { queuePoll } from './outbox.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

/** Refuses the votes on one poll in `refuse`'s way, and takes all others. */
function poisoned(refuse: Reply): Reply {
  const take = device.applied({ id: OTHER_POLL_ID });
  return (request) => (request.path.includes(POLL_ID) ? refuse(request) : take(request));
}

test('an op that always meets a server in trouble delays the others by one attempt', async () => {
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
  const { transport, sent } = scriptedTransport(poisoned(refusal('busy', { 'Retry-After': '5' })));
  const context = device.context(transport);
  const waitMs = await drainLane(context, 'votes');
  expect(waitMs).toBe(5_000);
  device.clock.advance(waitMs ?? 0);
  await drainLane(context, 'votes');
  expect(sent.slice(0, 2).map(({ path }) => path.includes(POLL_ID))).toEqual([true, false]);
  expect(await device.db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
});

test('an op that is never answered comes after all others, once', async () => {
  const polls = [POLL_ID, ...Array.from({ length: 3 }, (_, nth) => OTHER_POLL_ID.replace(/.$/, String(nth)))];
  const draft = {
    question: 'Q',
    option1Caption: '',
    option2Caption: '',
    durationDays: 3,
    responsesWanted: 10,
  };
  const picture = { bytes: new Uint8Array([1, 2]).buffer, mime: 'image/webp', width: 1, height: 1 };
  for (const question of polls) {
    const pictures = [picture, picture] as const;
    await queuePoll(device.db, device.userId, { ...draft, question, pictures }, device.clock.now());
  }
  const asked: string[] = [];
  const take = device.applied();
  const { transport } = scriptedTransport((request) => {
    const question = String((request.body as FormData).get('question'));
    asked.push(question);
    return question === POLL_ID ? 'lost' : take(request);
  });
  const context = device.context(transport);
  for (let round = 1; round <= 4; round += 1) {
    await drainLane(context, 'creations');
    device.clock.advance(30_000);
  }
  expect(asked.slice(0, 4)).toEqual(polls);
});

test('a server that named a time is left alone until then, however often somebody triggers a drain', async () => {
  for (const pollId of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(pollId);
  const { transport, sent } = scriptedTransport(refusal('rate_limited', { 'Retry-After': '60' }));
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

test('on a device without any room an acknowledged op leaves the queue all the same', async () => {
  await device.voteOn(POLL_ID);
  const full = () => {
    throw Object.assign(new Error('full'), { name: 'QuotaExceededError' });
  };
  device.db.polls.hook('creating', full);
  const { transport, sent } = scriptedTransport(device.applied());
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();
  expect(sent).toHaveLength(1);
  expect(await device.db.ops.count()).toBe(0);
  expect(device.events).toMatchObject([{ type: 'applied' }]);
});

test('an op whose picture is damaged delays nobody and ends with a question to the person', async () => {
  const picture = { bytes: new Uint8Array([1, 2]).buffer, mime: 'image/webp', width: 1, height: 1 };
  const draft = {
    question: 'Q',
    option1Caption: '',
    option2Caption: '',
    durationDays: 3,
    responsesWanted: 10,
  };
  await queuePoll(device.db, device.userId, { ...draft, pictures: [picture, picture] }, device.clock.now());
  await device.db.opBlobs.toCollection().modify({ bytes: new Uint8Array([9]).buffer });
  const { transport, sent } = scriptedTransport(refusal('internal'));
  const context = device.context(transport);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await drainLane(context, 'creations');
    device.clock.advance(60_000);
  }
  expect(sent).toHaveLength(0);
  expect(await device.db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
});

test('an acknowledged vote is stored although the next one hangs', async () => {
  await device.voteOn(POLL_ID);
  await device.voteOn(OTHER_POLL_ID);
  let hang = () => {};
  const take = device.applied();
  const { transport } = scriptedTransport(
    take,
    () => new Promise((resolve) => (hang = () => resolve('lost'))),
  );
  const draining = drainLane(device.context(transport), 'votes');
  await vi.waitFor(async () => {
    device.clock.advance(200);
    expect(device.events).toMatchObject([{ type: 'applied' }]);
  });
  expect(await device.db.ops.count()).toBe(1);
  hang();
  await draining;
});
