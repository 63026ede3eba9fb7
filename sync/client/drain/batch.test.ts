import { beforeEach, describe, expect, test } from 'vitest';
import { BATCH_MAX_REQUESTS } from '#shared/batch.ts';
import { sendBatch } from '#shared/service/contract.ts';
import type { Lock, Transport, TransportRequest, TransportResponse } from '#sync/client/capabilities.ts';
import { localLock } from '#sync/client/device/lock.ts';
import { sendLockName } from '#sync/client/outbox/lease.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { type DrainHarness, drainHarness, FIRST_PAUSE_MS } from '#sync/testing/drain-harness.ts';
import {
  answerBatch,
  captivePortal,
  errorResponse,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const pollId = (nth: number) => `019352aa-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`;

async function queueVotes(count: number): Promise<void> {
  for (let nth = 1; nth <= count; nth += 1) await device.voteOn(pollId(nth));
}

/** A transport that gets `reply` to each batch, and passes other requests to `send`. */
const withBatchReply =
  (reply: Reply, send: Transport): Transport =>
  async (request) =>
    request.path === sendBatch.path ? ((await reply(request)) as TransportResponse) : send(request);

/** The transport to a server of an earlier release, which does not support batches. */
const withoutBatches = (send: Transport) => withBatchReply(errorResponse('not_found'), send);

const acceptVote = () =>
  json(200, { poll: null, user: sampleUser({ id: device.userId, points: 51, rev: 2 }) });

const pathOf = ({ path }: TransportRequest) => path;
const votePath = (nth: number) => `/api/questions/${pollId(nth)}/vote`;

test('the first vote is sent individually, the others in batches of up to fifty', async () => {
  await queueVotes(BATCH_MAX_REQUESTS + 3);
  const { transport, sent, exchanges } = scriptedTransport(acceptVote());
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();

  expect(exchanges.map(pathOf)).toEqual([votePath(1), sendBatch.path, sendBatch.path]);
  expect(sent.map(pathOf).sort()).toEqual(
    Array.from({ length: BATCH_MAX_REQUESTS + 3 }, (_, index) => votePath(index + 1)),
  );
  expect(new Set(sent.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(BATCH_MAX_REQUESTS + 3);
  // Apart from key and path, a request in a batch is the same as one that is sent individually.
  const [individual, inBatch] = sent.map(({ headers: { 'Idempotency-Key': _, ...headers }, ...rest }) => ({
    ...rest,
    headers,
  }));
  expect(inBatch).toEqual({ ...individual, path: votePath(2) });
  expect(exchanges[1]?.headers).not.toHaveProperty('Idempotency-Key');
  expect(await device.db.ops.count()).toBe(0);
});

test('each vote of a batch has its own outcome', async () => {
  await queueVotes(4);
  const poll = samplePoll({ id: pollId(4), rev: 6 });
  const { transport } = scriptedTransport(
    acceptVote(),
    errorResponse('poll_closed'),
    errorResponse('internal'),
    json(200, { poll, user: sampleUser({ id: device.userId, points: 53, rev: 4 }) }),
  );
  expect(await drainLane(device.context(transport), 'votes')).toBe(FIRST_PAUSE_MS);
  expect(await device.db.ops.toArray()).toMatchObject([
    { entityId: pollId(2), state: 'rejected', lastError: { code: 'poll_closed' } },
    { entityId: pollId(3), state: 'queued', attempts: 1, lastError: { code: 'internal' } },
  ]);
  expect(await device.db.polls.get(pollId(4))).toMatchObject({ rev: 6 });
  expect(await device.db.user.get(device.userId)).toMatchObject({ points: 53 });
});

test('the lane pauses for the Retry-After in the response to one vote of a batch', async () => {
  await queueVotes(3);
  const { transport } = scriptedTransport(
    acceptVote(),
    errorResponse('rate_limited', { 'Retry-After': '7' }),
  );
  expect(await drainLane(device.context(transport), 'votes')).toBe(7_000);
});

test('a batch without a response counts as one failure, and its votes are sent individually from then on', async () => {
  await queueVotes(4);
  let batchCount = 0;
  const { transport: send } = scriptedTransport(acceptVote());
  const transport: Transport = async (request) => {
    if (request.path !== sendBatch.path) return send(request);
    batchCount += 1;
    throw new Error('no response');
  };
  const context = device.context(transport);
  await drainLane(context, 'votes');
  expect(context.backoff.votes.failures).toBe(1);
  const waiting = await device.db.ops.toArray();
  expect(waiting.map((op) => [op.state, op.attempts])).toEqual(
    Array.from({ length: 3 }, () => ['queued', 1]),
  );

  device.clock.advance(30_000);
  expect(await drainLane(context, 'votes')).toBeNull();
  expect(batchCount).toBe(1);
  expect(await device.db.ops.count()).toBe(0);
});

test('a server without batches, of an earlier release, gets the votes one by one', async () => {
  await queueVotes(4);
  const { transport: send, sent } = scriptedTransport(acceptVote());
  expect(await drainLane(device.context(withoutBatches(send)), 'votes')).toBeNull();
  expect(sent.map(pathOf)).toEqual([1, 2, 3, 4].map(votePath));
  expect(await device.db.ops.count()).toBe(0);
});

test('after a captive portal’s response to a batch, all of its votes are still queued', async () => {
  await queueVotes(3);
  const { transport: send } = scriptedTransport(acceptVote());
  await drainLane(device.context(withBatchReply(captivePortal, send)), 'votes');
  expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);
});

test.each<[string, (parts: readonly unknown[]) => unknown[]]>([
  ['with its parts in another order', (parts) => parts.toReversed()],
  ['without the part of the last vote', (parts) => parts.slice(0, -1)],
])('after a response to a batch %s, all of its votes are still queued', async (_case, changeParts) => {
  await queueVotes(3);
  const { transport: send } = scriptedTransport(acceptVote());
  const transport: Transport = async (request) => {
    if (request.path !== sendBatch.path) return send(request);
    const response = await answerBatch(request, send);
    const { answers } = response.body as { answers: unknown[] };
    return { ...response, body: { answers: changeParts(answers) } };
  };
  await drainLane(device.context(transport), 'votes');
  expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);
});

/** Runs `job` while the lock of the `nth` vote is held, as it is in a tab that discards the vote (`discardOp`). */
async function whileDiscarding(lock: Lock, nth: number, job: () => Promise<void>): Promise<void> {
  const op = await device.db.ops.where('entityId').equals(pollId(nth)).first();
  await lock.run(sendLockName(op?.opId ?? ''), job);
}

test('a batch whose votes are all being discarded is not sent', async () => {
  await queueVotes(3);
  const { transport, exchanges } = scriptedTransport(acceptVote());
  const lock = localLock();
  await whileDiscarding(lock, 2, () =>
    whileDiscarding(lock, 3, async () => {
      await drainLane(device.context(transport, { lock }), 'votes');
    }),
  );
  expect(exchanges.map(pathOf)).toEqual([votePath(1)]);
});

test('a vote that is being discarded is left out of the batch and does not delay it', async () => {
  await queueVotes(4);
  const { transport, sent } = scriptedTransport(acceptVote());
  const lock = localLock();
  await whileDiscarding(lock, 2, async () => {
    await drainLane(device.context(transport, { lock }), 'votes');
  });
  expect(sent.map(pathOf)).toEqual([1, 3, 4].map(votePath));
});

describe('an error response to a whole batch', () => {
  const drainWith = async (reply: Reply) => {
    await queueVotes(3);
    const { transport: send } = scriptedTransport(acceptVote());
    await drainLane(device.context(withBatchReply(reply, send)), 'votes');
    return device.db.ops.toArray();
  };

  test('because of a rate limit postpones each vote', async () => {
    const postponed = await drainWith(errorResponse('rate_limited', { 'Retry-After': '7' }));
    const nextAttemptAt = device.clock.now() + 7_000;
    const expected = { state: 'queued', attempts: 1, nextAttemptAt, lastError: { code: 'rate_limited' } };
    expect(postponed).toMatchObject([expected, expected]);
  });

  test('for a reason that applies only to batches refuses no vote: each is queued again, to be sent individually', async () => {
    // An op with an attempt is sent individually.
    const queuedAgain = { state: 'queued', attempts: 1, lastError: null };
    expect(await drainWith(errorResponse('invalid_input'))).toMatchObject([queuedAgain, queuedAgain]);
  });

  test.each(['unauthenticated', 'actor_mismatch'] as const)(
    'with the code %s counts no attempt and makes the votes wait for a login',
    async (code) => {
      expect(await drainWith(errorResponse(code))).toMatchObject([
        { state: 'blocked_auth', attempts: 0 },
        { state: 'blocked_auth', attempts: 0 },
      ]);
    },
  );
});

describe('a server without batches, which gets votes one by one, gets no more once it', () => {
  /** Drains six votes, of which the third gets `reply`. Resolves with the milliseconds until the next drain. */
  const drainWith = async (reply: Reply) => {
    await queueVotes(6);
    const { transport: send, sent } = scriptedTransport(acceptVote(), acceptVote(), reply);
    const nextDrainMs = await drainLane(device.context(withoutBatches(send)), 'votes');
    expect(sent).toHaveLength(3);
    expect(await device.db.ops.count()).toBe(4);
    return nextDrainMs;
  };

  // The votes after the third, which were not sent, count as votes without a response.
  test.each([
    ['requests a pause', errorResponse('rate_limited', { 'Retry-After': '60' }), 60_000],
    ['fails', errorResponse('internal'), FIRST_PAUSE_MS],
    ['cannot be reached', noResponse, FIRST_PAUSE_MS],
  ])('%s', async (_case, reply, nextDrainMs) => expect(await drainWith(reply)).toBe(nextDrainMs));

  test('requires a login, for which all votes then wait without counting an attempt', async () => {
    expect(await drainWith(errorResponse('unauthenticated'))).toBeNull();
    const ops = await device.db.ops.toArray();
    expect(ops.map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 4 }, () => ['blocked_auth', 0]),
    );
  });
});

test('the votes after a refused vote are still sent to a server without batches', async () => {
  await queueVotes(4);
  const { transport: send, sent } = scriptedTransport(
    acceptVote(),
    errorResponse('poll_closed'),
    acceptVote(),
  );
  await drainLane(device.context(withoutBatches(send)), 'votes');
  expect(sent).toHaveLength(4);
  expect(await device.db.ops.toArray()).toMatchObject([{ entityId: pollId(2), state: 'rejected' }]);
});

test('changed votes are sent in a batch of PUT calls', async () => {
  for (let nth = 1; nth <= 3; nth += 1) {
    const payload = { pollId: pollId(nth), option: 2 } as const;
    await queueOp(device.db, device.userId, { type: 'changeVote', payload }, device.clock.now());
  }
  const { transport, sent, exchanges } = scriptedTransport(acceptVote());
  expect(await drainLane(device.context(transport), 'votes')).toBeNull();
  expect(exchanges.map(pathOf)).toEqual([votePath(1), sendBatch.path]);
  expect(sent.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT']);
});
