import { beforeEach, describe, expect, test } from 'vitest';
import type { Option } from '#shared/polls/schema.ts';
import { readPoll } from '#sync/client/cache/reads.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { queueOp, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { overlayPoints } from '#sync/client/outbox/overlay.ts';
import { type DrainHarness, drainHarness, FIRST_PAUSE_MS } from '#sync/testing/drain-harness.ts';
import {
  errorResponse,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const votedPoll = (option: Option, changesLeft = 5) =>
  samplePoll({ votes: [{ option, changesLeft }], rev: 6 });

function changeTo(option: Option, pollId = POLL_ID): Promise<void> {
  const payload = { pollId, option };
  return queueOp(device.db, device.userId, { type: 'changeVote', payload }, device.clock.now());
}

/** The type, option and state of each queued op. */
async function queuedOps() {
  return (await device.db.ops.toArray()).map(({ type, state, payload }) => [
    type,
    'option' in payload && payload.option,
    state,
  ]);
}

const pollView = () => readPoll(device.db, POLL_ID, device.clock.now());

/** Drains the votes once while the browser reports that it is offline. */
const drainOffline = (reply: Reply = noResponse) =>
  drainLane(device.context(scriptedTransport(reply).transport, { isOnline: () => false }), 'votes');

const acceptChange = (option: Option) =>
  json(200, { poll: votedPoll(option, 4), user: sampleUser({ id: device.userId, rev: 2 }) });

describe('a change of an acknowledged vote', () => {
  beforeEach(async () => {
    await device.db.polls.put(votedPoll(1));
  });

  test('shows the other option while it waits, and is sent with PUT', async () => {
    await changeTo(2);
    expect(await pollView()).toMatchObject({ vote: 2, voteOp: { type: 'changeVote', state: 'queued' } });
    expect(overlayPoints(sampleUser(), await device.db.ops.toArray())).toMatchObject({
      pendingEarned: 0,
      pendingSpent: 0,
    });
    const { transport, sent } = scriptedTransport(acceptChange(2));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toMatchObject([
      { method: 'PUT', path: `/api/questions/${POLL_ID}/vote`, body: '{"option":2}' },
    ]);
    expect(await pollView()).toMatchObject({ vote: 2, voteOp: null });
  });

  test('is queued once even if it is made twice', async () => {
    await changeTo(2);
    await changeTo(2);
    expect(await queuedOps()).toEqual([['changeVote', 2, 'queued']]);
  });

  test('is removed from the queue if it is undone before it was sent', async () => {
    await changeTo(2);
    await changeTo(1);
    expect(await queuedOps()).toEqual([]);
    expect(await pollView()).toMatchObject({ vote: 1, voteOp: null });
  });

  test('remains in the queue before the next change if it may have been sent', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(1);
    expect(await queuedOps()).toEqual([
      ['changeVote', 2, 'queued'],
      ['changeVote', 1, 'queued'],
    ]);
    expect(await pollView()).toMatchObject({ vote: 1 });
    await resetOpBackoff(device.db);
    const { transport, exchanges } = scriptedTransport(acceptChange(2), acceptChange(1));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(exchanges.map(({ body }) => body)).toEqual(['{"option":2}', '{"option":1}']);
  });

  test.each(['poll_closed', 'change_limit', 'not_voted'] as const)(
    'shows the confirmed vote after a refusal with the code %s, and is kept with its reason',
    async (code) => {
      await changeTo(2);
      await drainLane(device.context(scriptedTransport(errorResponse(code)).transport), 'votes');
      expect(await pollView()).toMatchObject({
        vote: 1,
        voteOp: { type: 'changeVote', state: 'rejected', lastError: { code } },
      });
      expect(device.events).toMatchObject([{ type: 'rejected', error: { code } }]);
    },
  );

  test('removes the poll from the cache if it is refused because the poll no longer exists', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(errorResponse('not_found')).transport), 'votes');
    expect(await device.db.polls.count()).toBe(0);
    expect(await queuedOps()).toEqual([['changeVote', 2, 'rejected']]);
  });

  test('replaces a vote that was refused because of the confirmed vote only once it is applied', async () => {
    await device.db.polls.put(samplePoll());
    await device.voteOn(POLL_ID, 2);
    await drainLane(device.context(scriptedTransport(errorResponse('already_voted')).transport), 'votes');
    await device.db.polls.put(votedPoll(1));
    await changeTo(2);
    expect(await queuedOps()).toEqual([
      ['vote', 2, 'rejected'],
      ['changeVote', 2, 'queued'],
    ]);
    await drainLane(device.context(scriptedTransport(acceptChange(2)).transport), 'votes');
    expect(await queuedOps()).toEqual([]);
    expect(await pollView()).toMatchObject({ vote: 2, voteOp: null });
  });

  test('is queued even if the vote is not cached', async () => {
    await device.db.polls.put(samplePoll());
    await changeTo(2);
    expect(await queuedOps()).toEqual([['changeVote', 2, 'queued']]);
  });

  test('replaces a refused change', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(errorResponse('change_limit')).transport), 'votes');
    await changeTo(2);
    expect(await queuedOps()).toEqual([['changeVote', 2, 'queued']]);
  });
});

describe('a change of a waiting vote', () => {
  beforeEach(async () => {
    await device.db.polls.put(samplePoll());
    await device.voteOn(POLL_ID, 1);
  });

  test('replaces the vote, so that one vote is sent', async () => {
    await changeTo(2);
    expect(await queuedOps()).toEqual([['vote', 2, 'queued']]);
    const { transport, sent } = scriptedTransport(device.applied({ votes: [{ option: 2 }] }));
    await drainLane(device.context(transport), 'votes');
    expect(sent).toMatchObject([{ method: 'POST', body: '{"option":2}' }]);
  });

  test('replaces the vote even after an attempt while the device was offline', async () => {
    await drainOffline();
    await changeTo(2);
    expect(await queuedOps()).toEqual([['vote', 2, 'queued']]);
  });

  test('replaces the vote with a change of the vote that was confirmed on another device meanwhile', async () => {
    await device.db.polls.put(votedPoll(2));
    expect(await pollView()).toMatchObject({ vote: 2 });
    await changeTo(1);
    expect(await queuedOps()).toEqual([['changeVote', 1, 'queued']]);
    const { transport, sent } = scriptedTransport(acceptChange(1));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toMatchObject([{ method: 'PUT', body: '{"option":1}' }]);
    expect(await pollView()).toMatchObject({ vote: 1, voteOp: null });
  });

  test('replaces the vote while it waits for a login', async () => {
    await device.db.ops.toCollection().modify({ state: 'blocked_auth' });
    await changeTo(2);
    expect(await queuedOps()).toEqual([['vote', 2, 'queued']]);
  });

  test('does not replace the vote once it needs a decision', async () => {
    await device.db.ops.toCollection().modify({ state: 'needs_attention' });
    await changeTo(2);
    expect(await queuedOps()).toEqual([
      ['vote', 1, 'needs_attention'],
      ['changeVote', 2, 'queued'],
    ]);
  });

  test('replaces each of several votes that were leased together but not sent', async () => {
    const otherPollIds = ['2', '3'].map((digit) => POLL_ID.replace(/.$/, digit));
    for (const id of otherPollIds) await device.voteOn(id, 1);
    await drainOffline();
    for (const id of [POLL_ID, ...otherPollIds]) await changeTo(2, id);
    expect(await queuedOps()).toEqual(Array.from({ length: 3 }, () => ['vote', 2, 'queued']));
  });

  test('does not replace the vote if an offline attempt took so long that it may have been sent', async () => {
    const slowFailure = async () => {
      device.clock.advance(1_000);
      return 'no_response' as const;
    };
    await drainOffline(slowFailure);
    await changeTo(2);
    expect(await queuedOps()).toHaveLength(2);
  });

  test('does not replace the vote if a tab of the first release has leased it', async () => {
    await device.db.ops.toCollection().modify({ leaseUntil: device.clock.now() - 1 });
    await changeTo(2);
    expect(await queuedOps()).toHaveLength(2);
    // Even after an attempt by this release while offline, the op does not count as never sent.
    await drainOffline();
    const [vote] = await device.db.ops.toArray();
    expect(vote?.firstLeasedAt).toBeLessThan(device.clock.now());
  });

  test('does not make the lane drain again while the vote waits for a login', async () => {
    // A vote that may have been sent.
    await device.db.ops.toCollection().modify({ firstLeasedAt: 1, leaseUntil: 1, state: 'blocked_auth' });
    await changeTo(2);
    const { transport, sent } = scriptedTransport(noResponse);
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toEqual([]);
  });

  test('does not replace the vote if an earlier attempt may have reached the server', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    device.clock.advance(FIRST_PAUSE_MS);
    await drainOffline();
    await changeTo(2);
    expect(await queuedOps()).toEqual([
      ['vote', 1, 'queued'],
      ['changeVote', 2, 'queued'],
    ]);
  });

  test('does not replace the vote if the browser went offline or online during the attempt', async () => {
    for (const wasOnline of [true, false]) {
      await device.db.ops.clear();
      await device.voteOn(POLL_ID, 1);
      // The states before and after the attempt.
      const onlineStates = [wasOnline, !wasOnline];
      const isOnline = () => onlineStates.shift() ?? true;
      await drainLane(device.context(scriptedTransport(noResponse).transport, { isOnline }), 'votes');
      await changeTo(2);
      expect(await queuedOps()).toHaveLength(2);
    }
  });

  test('is sent after the vote, never in parallel, if the vote may have been sent', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    expect(await queuedOps()).toEqual([
      ['vote', 1, 'queued'],
      ['changeVote', 2, 'queued'],
    ]);
    expect(await pollView()).toMatchObject({ vote: 2 });
    device.clock.advance(FIRST_PAUSE_MS);
    // The vote gets no response again, and the change waits for it.
    const unreachable = scriptedTransport(noResponse);
    expect(await drainLane(device.context(unreachable.transport), 'votes')).toBeGreaterThan(0);
    expect(unreachable.sent).toMatchObject([{ method: 'POST' }]);

    device.clock.advance(60_000);
    const { transport, exchanges } = scriptedTransport(device.applied(), acceptChange(2));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(await pollView()).toMatchObject({ vote: 2, voteOp: null });
  });

  test('is not sent while the vote fails with a server error', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    device.clock.advance(FIRST_PAUSE_MS);
    const failing = scriptedTransport(errorResponse('internal'));
    expect(await drainLane(device.context(failing.transport), 'votes')).toBeGreaterThan(0);
    expect(failing.sent.map(({ method }) => method)).toEqual(['POST']);
  });

  test('is not sent if the vote is refused, and the refusal is about the option chosen last', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    device.clock.advance(60_000);
    const { transport } = scriptedTransport(errorResponse('poll_closed'));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(await queuedOps()).toEqual([['vote', 2, 'rejected']]);
    expect(await pollView()).toMatchObject({ vote: null });
    expect(device.events.at(-1)).toMatchObject({ type: 'rejected', op: { payload: { option: 2 } } });
  });

  test('is sent if the vote is refused because of a confirmed vote', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    device.clock.advance(60_000);
    const { transport } = scriptedTransport(errorResponse('already_voted'), acceptChange(2));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(await queuedOps()).toEqual([]);
    expect(await pollView()).toMatchObject({ vote: 2, voteOp: null });
  });
});
