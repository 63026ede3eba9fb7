import { beforeEach, describe, expect, test } from 'vitest';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import { clearCaches } from '#sync/client/session/server-change.ts';
import { type DrainHarness, drainHarness, FIRST_PAUSE_MS } from '#sync/testing/drain-harness.ts';
import { errorResponse, json, noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const draft: PollDraft = {
  question: ' Sand or summit? ',
  option1Caption: 'Sand',
  option2Caption: '',
  durationDays: 3,
  responsesWanted: 12,
  images: [
    { bytes: new Uint8Array([1, 2, 3]).buffer, mime: 'image/webp', width: 10, height: 10 },
    { bytes: new Uint8Array([4, 5]).buffer, mime: 'image/jpeg', width: 20, height: 10 },
  ],
};

describe('a waiting vote', () => {
  test('leaves the queue when its response is cached', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(device.applied());
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();

    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ path: `/api/questions/${POLL_ID}/vote`, body: '{"option":1}' });
    expect(sent[0]?.headers['X-Expected-User']).toBe(String(device.userId));
    expect(await device.db.ops.count()).toBe(0);
    expect(await device.db.polls.get(POLL_ID)).toMatchObject({ votesCount: 13 });
    expect(await device.db.user.get(device.userId)).toMatchObject({ points: 51 });
    expect(device.events).toMatchObject([{ type: 'applied' }]);
  });

  test('is sent again under the same key, after a pause, if there was no response', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(noResponse, device.applied());
    expect(await drainLane(device.context(transport), 'votes')).toBe(FIRST_PAUSE_MS);
    expect(device.events).toMatchObject([{ type: 'delayed' }]);

    expect(await drainLane(device.context(transport), 'votes')).toBe(FIRST_PAUSE_MS);
    expect(sent).toHaveLength(1);

    device.clock.advance(FIRST_PAUSE_MS);
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.headers['Idempotency-Key']).toBe(sent[0]?.headers['Idempotency-Key']);
  });

  test('waits for a newer version of the app if that version stored it', async () => {
    await device.voteOn(POLL_ID);
    await device.db.ops.toCollection().modify({ schemaVersion: 2 });
    const { transport, sent } = scriptedTransport(device.applied());
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(0);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued', schemaVersion: 2 }]);
  });

  test('is not sent if a logout empties the database after the drain has checked the session', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(device.applied());
    const isLoggedIn = async () => {
      await clearCaches(device.db);
      return true;
    };
    // The time after which the lane is drained again (`RECHECK_PAUSE_MS`).
    expect(await drainLane({ ...device.context(transport), isLoggedIn }, 'votes')).toBe(500);
    expect(sent).toHaveLength(0);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued', firstLeasedAt: null }]);
  });

  test('is queued once, however often the button is tapped', async () => {
    await Promise.all([device.voteOn(POLL_ID), device.voteOn(POLL_ID, 2), device.voteOn(POLL_ID)]);
    expect(await device.db.ops.count()).toBe(1);
  });

  test('is settled in one transaction with the next vote, and the newer user of the two responses is cached', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const user = (points: number, rev: number) => sampleUser({ id: device.userId, points, rev });
    const { transport } = scriptedTransport(
      json(200, { poll: samplePoll({ rev: 6 }), user: user(52, 3) }),
      json(200, { poll: null, user: user(51, 2) }),
    );
    await device.db.polls.put(samplePoll({ id: OTHER_POLL_ID }));
    const transactions = new Set<unknown>();
    device.db.ops.hook('deleting', (_key, _op, transaction) => void transactions.add(transaction));
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(await device.db.ops.count()).toBe(0);
    expect(transactions.size).toBe(1);
    expect(await device.db.user.get(device.userId)).toMatchObject({ points: 52, rev: 3 });
    expect(await device.db.polls.toArray()).toMatchObject([{ id: POLL_ID, rev: 6 }]);
    expect(device.events.map(({ op }) => op.entityId)).toEqual([POLL_ID, OTHER_POLL_ID]);
  });

  test('keeps its reason when it is refused, and does not block later votes', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const { transport } = scriptedTransport(
      errorResponse('poll_closed'),
      device.applied({ id: OTHER_POLL_ID }),
    );
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(await device.db.ops.toArray()).toMatchObject([
      { entityId: POLL_ID, state: 'rejected', lastError: { code: 'poll_closed' } },
    ]);
  });

  test('is blocked with all others if the session has ended, without counting an attempt', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    let onBlockedCalls = 0;
    const { transport, sent } = scriptedTransport(errorResponse('unauthenticated'));
    const context = device.context(transport, { onBlocked: () => (onBlockedCalls += 1) });
    expect(await drainLane(context, 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
    expect(onBlockedCalls).toBe(1);
    expect(await device.db.ops.toArray()).toMatchObject([
      { state: 'blocked_auth', attempts: 0 },
      { state: 'blocked_auth', attempts: 0 },
    ]);
  });

  test('needs a decision after five refusals with the outcome `unclear`', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(errorResponse('suspended'));
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await drainLane(device.context(transport), 'votes');
      device.clock.advance(60_000);
    }
    expect(sent).toHaveLength(5);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
  });

  test('needs no decision after four attempts without a response and one refusal with the outcome `unclear`', async () => {
    await device.voteOn(POLL_ID);
    const { transport } = scriptedTransport(
      noResponse,
      noResponse,
      noResponse,
      noResponse,
      errorResponse('suspended'),
    );
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await drainLane(device.context(transport), 'votes');
      device.clock.advance(60_000);
    }
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'queued', attempts: 5, refusals: 1 }]);
  });

  test('is sent without a pause after the vote before it got a server error', async () => {
    await device.voteOn(POLL_ID);
    await device.voteOn(OTHER_POLL_ID);
    const { transport, sent } = scriptedTransport(
      errorResponse('internal'),
      device.applied({ id: OTHER_POLL_ID }),
    );
    await drainLane(device.context(transport), 'votes');
    expect(sent).toHaveLength(2);
    expect(await device.db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });
});

describe('a waiting poll', () => {
  test('is sent with the same image bytes in every attempt, and is listed afterwards', async () => {
    const pollId = await queuePoll(device.db, device.userId, draft, device.clock.now());
    const poll = samplePoll({ id: pollId, isMine: true });
    const user = sampleUser({ id: device.userId, points: 38, rev: 2 });
    const { transport, sent } = scriptedTransport(noResponse, json(201, { poll, user }));
    await drainLane(device.context(transport), 'creations');
    device.clock.advance(60_000);
    expect(await drainLane(device.context(transport), 'creations')).toBeNull();

    for (const { body } of sent) {
      if (!(body instanceof FormData)) throw new Error('expected a form');
      expect(body.get('id')).toBe(pollId);
      expect(body.get('question')).toBe('Sand or summit?');
      expect(body.get('duration')).toBe('3');
      const image = body.get('option2Image');
      if (!(image instanceof Blob)) throw new Error('expected an image');
      expect(image.type).toBe('image/jpeg');
      expect(new Uint8Array(await image.arrayBuffer())).toEqual(new Uint8Array([4, 5]));
    }
    expect(sent).toHaveLength(2);
    expect(await device.db.opBlobs.count()).toBe(0);
    expect(await device.db.mine.toArray()).toMatchObject([{ pollId }]);
    expect(await device.db.feed.toArray()).toMatchObject([{ pollId }]);
  });

  test('keeps its images when it is refused', async () => {
    await queuePoll(device.db, device.userId, draft, device.clock.now());
    const { transport } = scriptedTransport(errorResponse('insufficient_points'));
    await drainLane(device.context(transport), 'creations');
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'rejected' }]);
    expect(await device.db.opBlobs.count()).toBe(2);
    expect(device.events).toMatchObject([{ type: 'rejected', error: { code: 'insufficient_points' } }]);
  });
});

describe('the request of an op', () => {
  test('does not change after the op was queued', async () => {
    await device.voteOn(POLL_ID);
    // As an earlier version of the app, which had another call, would have queued it.
    await device.db.ops.toCollection().modify({
      request: { path: '/api/questions/as-queued/vote', kind: 'json', body: '{"option":1,"of":"1.0"}' },
    });
    const { transport, sent } = scriptedTransport(device.applied());
    await drainLane(device.context(transport), 'votes');
    expect(sent).toMatchObject([{ path: '/api/questions/as-queued/vote', body: '{"option":1,"of":"1.0"}' }]);
  });

  test('is derived from the payload if the first release queued the op', async () => {
    await device.voteOn(POLL_ID);
    await queuePoll(device.db, device.userId, draft, device.clock.now());
    await device.db.ops.toCollection().modify((op) => {
      delete op.request;
      delete op.firstLeasedAt;
    });
    const { transport, sent } = scriptedTransport(device.applied());
    const context = device.context(transport);
    await drainLane(context, 'votes');
    await drainLane(context, 'creations');
    expect(sent[0]).toMatchObject({ path: `/api/questions/${POLL_ID}/vote`, body: '{"option":1}' });
    const form = sent[1]?.body as FormData;
    expect(form.get('question')).toBe('Sand or summit?');
  });
});

test('up to 200 waiting votes are leased together', async () => {
  for (let index = 0; index <= 200; index += 1) await device.voteOn(`poll-${index}`);
  const leasedCounts: number[] = [];
  const { transport } = scriptedTransport(async (request) => {
    leasedCounts.push(await device.db.ops.where('state').equals('sending').count());
    return noResponse(request);
  });
  await drainLane(device.context(transport), 'votes');
  expect(leasedCounts).toEqual([200]);
});

test('a second lease of an op does not change the time of its first lease', async () => {
  await device.voteOn(POLL_ID);
  expect(await device.db.ops.toArray()).toMatchObject([{ firstLeasedAt: null }]);
  const { transport, sent } = scriptedTransport(noResponse);
  const context = device.context(transport);
  await drainLane(context, 'votes');
  const leasedAt = device.clock.now();
  device.clock.advance(60_000);
  await drainLane(context, 'votes');
  expect(sent).toHaveLength(2);
  expect(await device.db.ops.toArray()).toMatchObject([{ firstLeasedAt: leasedAt }]);
});

test('an op whose success response cannot be read leaves the queue, and its poll is listed', async () => {
  await device.voteOn(POLL_ID);
  await queuePoll(device.db, device.userId, draft, device.clock.now());
  const { transport } = scriptedTransport(json(201, { poll: 'of a newer server' }));
  const context = device.context(transport);
  await drainLane(context, 'votes');
  await drainLane(context, 'creations');
  expect(await device.db.ops.count()).toBe(0);
  expect(device.events).toMatchObject([
    { type: 'applied', op: { type: 'vote' }, poll: null },
    { type: 'applied', op: { type: 'createPoll' }, poll: null },
  ]);
  expect(await device.db.mine.count()).toBe(1);
});
