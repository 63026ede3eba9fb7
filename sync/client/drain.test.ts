import { beforeEach, describe, expect, test } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, lost, type Reply, refusal, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { freshUserDb } from '#sync/testing/user-db.ts';
import type { UserDb } from './db.ts';
import { drainLane } from './drain.ts';
import { localLock } from './lock.ts';
import { queuePoll, queueVote } from './outbox.ts';
import type { DrainContext, EngineEvent, PollDraft, Transport } from './types.ts';

let db: UserDb;
let userId: number;
let events: EngineEvent[];
const clock = fakeClock();

beforeEach(async () => {
  ({ db, userId } = await freshUserDb(50));
  events = [];
});

function context(transport: Transport, changes: Partial<DrainContext> = {}): DrainContext {
  return {
    transport,
    clock,
    lock: localLock(),
    tabs: { announce() {}, listen() {} },
    random: () => 0.5,
    db,
    userId,
    owner: 'tab-1',
    failures: { votes: 0, creations: 0 },
    emit: (event) => events.push(event),
    onAnswer: () => {},
    onBlocked: () => {},
    ...changes,
  };
}

const voteOn = (pollId: string, option: 1 | 2 = 1) => queueVote(db, { userId, pollId, option }, clock.now());

const applied = (changes: Parameters<typeof samplePoll>[0] = {}): Reply =>
  json(200, {
    poll: samplePoll({ votes: [{ option: 1 }], votesCount: 13, rev: 6, ...changes }),
    user: sampleUser({ id: userId, points: 51, rev: 2 }),
  });

const draft: PollDraft = {
  question: ' Sand or summit? ',
  option1Caption: 'Sand',
  option2Caption: '',
  durationDays: 3,
  responsesWanted: 12,
  pictures: [
    { bytes: new Uint8Array([1, 2, 3]).buffer, mime: 'image/webp', width: 10, height: 10 },
    { bytes: new Uint8Array([4, 5]).buffer, mime: 'image/jpeg', width: 20, height: 10 },
  ],
};

describe('a vote that waits', () => {
  test('leaves the queue when the server has it, and its answer is in the cache', async () => {
    await voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(applied());
    expect(await drainLane(context(transport), 'votes')).toBeNull();

    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ path: `/api/questions/${POLL_ID}/vote`, body: '{"option":1}' });
    expect(sent[0]?.headers['X-Expected-User']).toBe(String(userId));
    expect(await db.ops.count()).toBe(0);
    expect(await db.polls.get(POLL_ID)).toMatchObject({ votesCount: 13 });
    expect(await db.user.get(userId)).toMatchObject({ points: 51 });
    expect(events).toMatchObject([{ type: 'applied' }]);
  });

  test('is sent again under the same key when no answer came, after a pause', async () => {
    await voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(lost, applied());
    expect(await drainLane(context(transport), 'votes')).toBe(500);
    expect(events).toMatchObject([{ type: 'delayed' }]);

    expect(await drainLane(context(transport), 'votes')).toBe(500);
    expect(sent).toHaveLength(1);

    clock.advance(500);
    expect(await drainLane(context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.headers['Idempotency-Key']).toBe(sent[0]?.headers['Idempotency-Key']);
  });

  test('is queued once, however often the key is tapped', async () => {
    await Promise.all([voteOn(POLL_ID), voteOn(POLL_ID, 2), voteOn(POLL_ID)]);
    expect(await db.ops.count()).toBe(1);
  });

  test('that is refused for good stays with its reason and lets later ones pass', async () => {
    await voteOn(POLL_ID);
    await voteOn(OTHER_POLL_ID);
    const { transport } = scriptedTransport(refusal('poll_closed'), applied({ id: OTHER_POLL_ID }));
    expect(await drainLane(context(transport), 'votes')).toBeNull();
    const [left] = await db.ops.toArray();
    expect(left).toMatchObject({ entityId: POLL_ID, state: 'rejected', lastError: { code: 'poll_closed' } });
    expect(await db.ops.count()).toBe(1);
  });

  test('waits with all the others when the session has ended, and no attempt is counted', async () => {
    await voteOn(POLL_ID);
    await voteOn(OTHER_POLL_ID);
    let blocked = 0;
    const { transport, sent } = scriptedTransport(refusal('unauthenticated'));
    const ended = context(transport, { onBlocked: () => (blocked += 1) });
    expect(await drainLane(ended, 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
    expect(blocked).toBe(1);
    expect(await db.ops.toArray()).toMatchObject([
      { state: 'blocked_auth', attempts: 0 },
      { state: 'blocked_auth', attempts: 0 },
    ]);
  });

  test('asks the person after five refusals that nobody understands', async () => {
    await voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(refusal('suspended'));
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await drainLane(context(transport), 'votes');
      clock.advance(60_000);
    }
    expect(sent).toHaveLength(5);
    expect(await db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
  });

  test("the server's failure on one op delays the next by one attempt only", async () => {
    await voteOn(POLL_ID);
    await voteOn(OTHER_POLL_ID);
    const { transport } = scriptedTransport(refusal('internal'), applied({ id: OTHER_POLL_ID }));
    await drainLane(context(transport), 'votes');
    expect(await db.ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: 'queued' }]);
  });
});

describe('leases', () => {
  test('an op that another tab is sending is left alone until its lease runs out', async () => {
    await voteOn(POLL_ID);
    await db.ops.toCollection().modify({
      state: 'sending',
      leaseOwner: 'tab-that-was-killed',
      leaseUntil: clock.now() + 30_000,
    });
    const { transport, sent } = scriptedTransport(applied());
    expect(await drainLane(context(transport), 'votes')).toBe(30_000);
    expect(sent).toHaveLength(0);
    clock.advance(30_000);
    expect(await drainLane(context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
  });

  test('a late answer of "try again" changes nothing once somebody else has the op', async () => {
    await voteOn(POLL_ID);
    const { transport } = scriptedTransport(async (): Promise<'lost'> => {
      await db.ops.toCollection().modify({ leaseOwner: 'tab-2' });
      return 'lost';
    });
    await drainLane(context(transport), 'votes');
    expect(await db.ops.toArray()).toMatchObject([{ state: 'sending', leaseOwner: 'tab-2' }]);
  });

  test('two tabs at once send an op once', async () => {
    await voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(applied());
    await Promise.all([
      drainLane(context(transport, { owner: 'tab-1' }), 'votes'),
      drainLane(context(transport, { owner: 'tab-2' }), 'votes'),
    ]);
    expect(sent).toHaveLength(1);
  });
});

describe('a poll that waits', () => {
  test('is sent with its pictures, the same bytes at every attempt, and stands in both lists afterwards', async () => {
    const pollId = await queuePoll(db, userId, draft, clock.now());
    const poll = samplePoll({ id: pollId, isMine: true });
    const user = sampleUser({ id: userId, points: 38, rev: 2 });
    const { transport, sent } = scriptedTransport(lost, json(201, { poll, user }));
    await drainLane(context(transport), 'creations');
    clock.advance(60_000);
    expect(await drainLane(context(transport), 'creations')).toBeNull();

    for (const { body } of sent) {
      if (!(body instanceof FormData)) throw new Error('expected a form');
      expect(body.get('id')).toBe(pollId);
      expect(body.get('question')).toBe('Sand or summit?');
      expect(body.get('duration')).toBe('3');
      const picture = body.get('option2Image');
      if (!(picture instanceof Blob)) throw new Error('expected a picture');
      expect(picture.type).toBe('image/jpeg');
      expect(new Uint8Array(await picture.arrayBuffer())).toEqual(new Uint8Array([4, 5]));
    }
    expect(sent).toHaveLength(2);
    expect(await db.opBlobs.count()).toBe(0);
    expect(await db.mine.toArray()).toMatchObject([{ pollId }]);
    expect(await db.feed.toArray()).toMatchObject([{ pollId }]);
  });

  test('keeps its pictures when it is refused', async () => {
    await queuePoll(db, userId, draft, clock.now());
    const { transport } = scriptedTransport(refusal('insufficient_points'));
    await drainLane(context(transport), 'creations');
    expect(await db.ops.toArray()).toMatchObject([{ state: 'rejected' }]);
    expect(await db.opBlobs.count()).toBe(2);
    expect(events).toMatchObject([{ type: 'rejected', error: { code: 'insufficient_points' } }]);
  });
});
