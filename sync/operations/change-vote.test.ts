import { beforeEach, describe, expect, test } from 'vitest';
import type { Option } from '#shared/polls/schema.ts';
import { readPoll } from '#sync/client/cache/reads.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { overlayPoints } from '#sync/client/outbox/overlay.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const voted = (option: Option, changesLeft = 5) => samplePoll({ votes: [{ option, changesLeft }], rev: 6 });

function changeTo(option: Option): Promise<void> {
  const payload = { pollId: POLL_ID, option };
  return queueOp(device.db, device.userId, { type: 'changeVote', payload }, device.clock.now());
}

async function queued() {
  return (await device.db.ops.toArray()).map(({ type, state, payload }) => [
    type,
    'option' in payload && payload.option,
    state,
  ]);
}

const shown = () => readPoll(device.db, POLL_ID, device.clock.now());

const accepted = (option: Option) =>
  json(200, { poll: voted(option, 4), user: sampleUser({ id: device.userId, rev: 2 }) });

describe('a change of an acknowledged vote', () => {
  beforeEach(async () => {
    await device.db.polls.put(voted(1));
  });

  test('shows the other option while it waits, costs and earns nothing, and is sent with PUT', async () => {
    await changeTo(2);
    expect(await shown()).toMatchObject({ vote: 2, voteOp: { type: 'changeVote', state: 'queued' } });
    expect(overlayPoints(sampleUser(), await device.db.ops.toArray())).toMatchObject({
      pendingEarned: 0,
      pendingSpent: 0,
    });
    const { transport, sent } = scriptedTransport(accepted(2));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toMatchObject([
      { method: 'PUT', path: `/api/questions/${POLL_ID}/vote`, body: '{"option":2}' },
    ]);
    expect(await shown()).toMatchObject({ vote: 2, voteOp: null });
  });

  test('that is made twice is one op', async () => {
    await changeTo(2);
    await changeTo(2);
    expect(await queued()).toEqual([['changeVote', 2, 'queued']]);
  });

  test('that is undone before it was sent is removed from the queue', async () => {
    await changeTo(2);
    await changeTo(1);
    expect(await queued()).toEqual([]);
    expect(await shown()).toMatchObject({ vote: 1, voteOp: null });
  });

  test('that may have been sent is kept, and the next one follows it', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(1);
    expect(await queued()).toEqual([
      ['changeVote', 2, 'queued'],
      ['changeVote', 1, 'queued'],
    ]);
    expect(await shown()).toMatchObject({ vote: 1 });
    await device.db.ops.toCollection().modify({ attempts: 0, nextAttemptAt: 0 });
    const { transport, exchanges } = scriptedTransport(accepted(2), accepted(1));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(exchanges.map(({ body }) => body)).toEqual(['{"option":2}', '{"option":1}']);
  });

  test.each(['poll_closed', 'change_limit', 'not_voted'] as const)(
    'that is refused (%s) shows the confirmed vote, and is kept with its reason',
    async (code) => {
      await changeTo(2);
      await drainLane(device.context(scriptedTransport(errorResponse(code)).transport), 'votes');
      expect(await shown()).toMatchObject({
        vote: 1,
        voteOp: { type: 'changeVote', state: 'rejected', lastError: { code } },
      });
      expect(device.events).toMatchObject([{ type: 'rejected', error: { code } }]);
    },
  );

  test('that is refused because the poll no longer exists removes the poll from the device', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(errorResponse('not_found')).transport), 'votes');
    expect(await device.db.polls.count()).toBe(0);
    expect(await queued()).toEqual([['changeVote', 2, 'rejected']]);
  });

  test('keeps a vote that was refused because of the confirmed one', async () => {
    await device.db.polls.put(samplePoll());
    await device.voteOn(POLL_ID, 2);
    await drainLane(device.context(scriptedTransport(errorResponse('already_voted')).transport), 'votes');
    await device.db.polls.put(voted(1));
    await changeTo(2);
    expect(await queued()).toEqual([
      ['vote', 2, 'rejected'],
      ['changeVote', 2, 'queued'],
    ]);
  });

  test('is queued even if the vote is not cached', async () => {
    await device.db.polls.put(samplePoll());
    await changeTo(2);
    expect(await queued()).toEqual([['changeVote', 2, 'queued']]);
  });

  test('made again after a refusal replaces the refused one', async () => {
    await changeTo(2);
    await drainLane(device.context(scriptedTransport(errorResponse('change_limit')).transport), 'votes');
    await changeTo(2);
    expect(await queued()).toEqual([['changeVote', 2, 'queued']]);
  });
});

describe('a change of a waiting vote', () => {
  beforeEach(async () => {
    await device.db.polls.put(samplePoll());
    await device.voteOn(POLL_ID, 1);
  });

  test('replaces it, and one vote is sent', async () => {
    await changeTo(2);
    expect(await queued()).toEqual([['vote', 2, 'queued']]);
    const { transport, sent } = scriptedTransport(device.applied({ votes: [{ option: 2 }] }));
    await drainLane(device.context(transport), 'votes');
    expect(sent).toMatchObject([{ method: 'POST', body: '{"option":2}' }]);
  });

  test('replaces it even if it was tried while the device was offline', async () => {
    const offline = device.context(scriptedTransport(noResponse).transport, { isOnline: () => false });
    await drainLane(offline, 'votes');
    await changeTo(2);
    expect(await queued()).toEqual([['vote', 2, 'queued']]);
  });

  test('replaces it while it waits for a login', async () => {
    await device.db.ops.toCollection().modify({ state: 'blocked_auth' });
    await changeTo(2);
    expect(await queued()).toEqual([['vote', 2, 'queued']]);
  });

  test('does not replace it once it needs a decision', async () => {
    await device.db.ops.toCollection().modify({ state: 'needs_attention' });
    await changeTo(2);
    expect(await queued()).toEqual([
      ['vote', 1, 'needs_attention'],
      ['changeVote', 2, 'queued'],
    ]);
  });

  test('replaces each of several votes that were leased together and never sent', async () => {
    const others = ['1', '2'].map((end) => POLL_ID.replace(/.$/, end));
    for (const id of others) await device.voteOn(id, 1);
    const offline = device.context(scriptedTransport(noResponse).transport, { isOnline: () => false });
    await drainLane(offline, 'votes');
    const ops = await device.db.ops.toArray();
    expect(ops.map(({ firstLeasedAt, leaseUntil }) => [firstLeasedAt, leaseUntil])).toEqual(
      ops.map(() => [null, 0]),
    );
  });

  test('does not replace it if the attempt took so long that there may have been a network', async () => {
    const slow = async () => {
      device.clock.advance(1_000);
      return 'no_response' as const;
    };
    await drainLane(device.context(scriptedTransport(slow).transport, { isOnline: () => false }), 'votes');
    await changeTo(2);
    expect((await queued()).length).toBe(2);
  });

  test('does not replace it if a tab of the first release has leased it', async () => {
    await device.db.ops.toCollection().modify({ leaseUntil: device.clock.now() - 1 });
    await changeTo(2);
    expect((await queued()).length).toBe(2);
    // It is not replaced after an attempt of this release either.
    await drainLane(
      device.context(scriptedTransport(noResponse).transport, { isOnline: () => false }),
      'votes',
    );
    const [vote] = await device.db.ops.toArray();
    expect(vote?.firstLeasedAt).toBeLessThan(device.clock.now());
  });

  test('waits without constant drains if the vote waits for a login', async () => {
    await device.db.ops.toCollection().modify({ firstLeasedAt: 1, leaseUntil: 1, state: 'blocked_auth' });
    await changeTo(2);
    const { transport, sent } = scriptedTransport(noResponse);
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toEqual([]);
  });

  test('does not replace it if an earlier attempt may have arrived', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    device.clock.advance(500);
    const offline = device.context(scriptedTransport(noResponse).transport, { isOnline: () => false });
    await drainLane(offline, 'votes');
    await changeTo(2);
    expect(await queued()).toEqual([
      ['vote', 1, 'queued'],
      ['changeVote', 2, 'queued'],
    ]);
  });

  test('does not replace it if the network went away or came back during the attempt', async () => {
    for (const states of [
      [true, false],
      [false, true],
    ]) {
      await device.db.ops.clear();
      await device.voteOn(POLL_ID, 1);
      const isOnline = () => states.shift() ?? true;
      await drainLane(device.context(scriptedTransport(noResponse).transport, { isOnline }), 'votes');
      await changeTo(2);
      expect((await queued()).length).toBe(2);
    }
  });

  test('is sent after it, never in parallel, if it may have been sent', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    expect(await queued()).toEqual([
      ['vote', 1, 'queued'],
      ['changeVote', 2, 'queued'],
    ]);
    expect(await shown()).toMatchObject({ vote: 2 });
    device.clock.advance(500);
    // The vote gets no response again, and the change waits for it.
    const failing = scriptedTransport(noResponse);
    expect(await drainLane(device.context(failing.transport), 'votes')).toBeGreaterThan(0);
    expect(failing.sent).toMatchObject([{ method: 'POST' }]);

    device.clock.advance(60_000);
    const { transport, exchanges } = scriptedTransport(device.applied(), accepted(2));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(await shown()).toMatchObject({ vote: 2, voteOp: null });
  });

  test('is held back while the vote fails, and in the next attempt', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    device.clock.advance(500);
    const broken = scriptedTransport(errorResponse('internal'));
    expect(await drainLane(device.context(broken.transport), 'votes')).toBeGreaterThan(0);
    expect(broken.sent.map(({ method }) => method)).toEqual(['POST']);
  });

  test('is refused by the server if the vote itself was refused', async () => {
    await drainLane(device.context(scriptedTransport(noResponse).transport), 'votes');
    await changeTo(2);
    device.clock.advance(60_000);
    const { transport } = scriptedTransport(errorResponse('poll_closed'), errorResponse('not_voted'));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(await queued()).toEqual([
      ['vote', 1, 'rejected'],
      ['changeVote', 2, 'rejected'],
    ]);
    expect(await shown()).toMatchObject({ vote: null });
  });
});
