import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readBlockedUsers, readFeed, readOutbox, readPoll } from '#sync/client/cache/reads.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Engine } from '#sync/client/engine.ts';
import { queueOp } from '#sync/client/outbox/outbox.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import {
  errorResponse,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { voteOn } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { NewOperation } from './registry.ts';

const REPORT = `POST /api/questions/${POLL_ID}/report`;
const TAKE_BACK = `DELETE /api/questions/${POLL_ID}/report`;
const BLOCK = 'PUT /api/blocks/mara.lind';
const UNBLOCK = 'DELETE /api/blocks/mara.lind';
const THIRD_POLL_ID = '019352aa-0000-7000-8000-000000000003';

const report: NewOperation = { type: 'report', payload: { pollId: POLL_ID, reason: 'spam' } };
const takeBack: NewOperation = { type: 'takeBackReport', payload: { pollId: POLL_ID } };
const block: NewOperation = { type: 'block', payload: { username: 'mara.lind' } };
const unblock: NewOperation = { type: 'unblock', payload: { username: 'Mara.Lind' } };

let device: EngineHarness;
let engine: Engine;
const events: EngineEvent[] = [];
let isOnline = true;

/** The feed has two polls of mara.lind and one of tomas. */
beforeEach(async () => {
  device = engineHarness();
  isOnline = true;
  engine = device.newEngine({ isOnline: () => isOnline });
  await engine.start();
  events.length = 0;
  engine.onEvent((event) => events.push(event));
  const { db } = userSessionOf(engine);
  await db.polls.bulkPut([
    samplePoll(),
    samplePoll({ id: OTHER_POLL_ID }),
    samplePoll({ id: THIRD_POLL_ID, user: { username: 'tomas' } }),
  ]);
  await db.feed.bulkPut(
    [POLL_ID, OTHER_POLL_ID, THIRD_POLL_ID].map((pollId, position) => ({ pollId, position })),
  );
  await db.trending.put({ pollId: OTHER_POLL_ID, position: 0 });
  device.sent.length = 0;
});

async function goOffline(): Promise<void> {
  isOnline = false;
  device.routes['GET /api/health'] = noResponse;
  engine.wentOffline();
  await settled();
}

function answerAll(changes: Record<string, Reply> = {}): void {
  Object.assign(device.routes, {
    [REPORT]: json(200, { reported: true }),
    [TAKE_BACK]: json(200, { reported: false }),
    [BLOCK]: json(204, null),
    [UNBLOCK]: json(204, null),
    ...changes,
  });
}

async function shownIds(kept?: ReadonlySet<string>): Promise<string[]> {
  const { trending, latest } = await readFeed(userSessionOf(engine).db, device.clock.now(), kept);
  return [...trending, ...latest].map(({ poll }) => poll.id).toSorted();
}

const outbox = () => readOutbox(userSessionOf(engine).db);
const opTypes = async () => (await outbox()).waiting.map(({ type }) => type);
const ALL = [POLL_ID, OTHER_POLL_ID, THIRD_POLL_ID];

async function untilSent(): Promise<void> {
  engine.drain();
  await vi.waitFor(async () => expect((await outbox()).waiting).toEqual([]));
  await settled();
}

/** Lets time pass until an op has failed five times and needs a decision. */
async function untilDecision(): Promise<void> {
  await vi.waitFor(async () => {
    device.clock.advance(31_000);
    expect((await outbox()).needsDecision).toHaveLength(1);
  });
}

describe('a poll that is reported offline', () => {
  test('is hidden at once, reported once when online, and remains hidden', async () => {
    await engine.queue(report);
    expect(await shownIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
    expect(await shownIds(new Set([POLL_ID]))).toEqual(ALL);
    await settled();
    const lostSends = device.sent.length;
    answerAll();
    await untilSent();
    expect(device.sent.slice(lostSends).filter((route) => route !== 'GET /api/user')).toEqual([REPORT]);
    expect(await shownIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
    expect(await readPoll(userSessionOf(engine).db, POLL_ID, 0)).toMatchObject({
      hidden: { reason: 'spam', op: null },
    });
    // The poll is neither fetched nor deleted, so that Undo can show it again.
    expect(device.sent).not.toContain(`GET /api/questions/${POLL_ID}`);
    await engine.queue(takeBack);
    expect(await shownIds()).toEqual(ALL);
    await untilSent();
    expect(device.sent.at(-1)).toBe(TAKE_BACK);
    expect(await shownIds()).toEqual(ALL);
  });

  test('and taken back before the report was sent leaves nothing in the queue', async () => {
    await goOffline();
    await engine.queue(report);
    await settled();
    await engine.queue(takeBack);
    expect(await opTypes()).toEqual([]);
    expect(await shownIds()).toEqual(ALL);
  });

  test('and taken back after an attempt with an unknown outcome is also taken back on the server', async () => {
    await engine.queue(report);
    await settled();
    await engine.queue(takeBack);
    expect(await opTypes()).toEqual(['report', 'takeBackReport']);
    expect(await shownIds()).toEqual(ALL);
    const sentBefore = device.sent.length;
    answerAll();
    await untilSent();
    expect(device.sent.slice(sentBefore).filter((route) => route.includes('/report'))).toEqual([
      REPORT,
      TAKE_BACK,
    ]);
  });

  test('and reported again for another reason before it was sent is reported for the new reason', async () => {
    await goOffline();
    await engine.queue(report);
    await settled();
    await engine.queue({ type: 'report', payload: { pollId: POLL_ID, reason: 'other', text: 'Mine' } });
    const { waiting } = await outbox();
    expect(waiting.map(({ request }) => request)).toMatchObject([
      { body: '{"reason":"other","text":"Mine"}' },
    ]);
    expect(waiting[0]?.payload).toMatchObject({ question: 'First cup of the day?' });
  });

  test('is shown again when the report is refused, with the reason in the outbox', async () => {
    answerAll({ [REPORT]: errorResponse('own_poll') });
    await engine.queue(report);
    await vi.waitFor(async () => expect((await outbox()).needsDecision).toHaveLength(1));
    expect(await shownIds()).toEqual(ALL);
    expect(events).toMatchObject([{ type: 'rejected', op: { type: 'report' }, error: { code: 'own_poll' } }]);
    await engine.queue(report);
    expect((await outbox()).needsDecision.length + (await outbox()).waiting.length).toBe(1);
  });

  test('and no longer exists on the server leaves the cache', async () => {
    answerAll({ [REPORT]: errorResponse('not_found') });
    await engine.queue(report);
    await vi.waitFor(async () => expect((await outbox()).needsDecision).toHaveLength(1));
    expect(await shownIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
  });
});

describe('a user who is blocked offline', () => {
  test('is hidden at once, blocked once when online, and remains hidden', async () => {
    await engine.queue(block);
    expect(await shownIds()).toEqual([THIRD_POLL_ID]);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([
      { username: 'mara.lind', isWaiting: true },
    ]);
    await settled();
    const sentBefore = device.sent.length;
    answerAll();
    await untilSent();
    expect(device.sent.slice(sentBefore).filter((route) => route === BLOCK)).toEqual([BLOCK]);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([
      { username: 'mara.lind', isWaiting: false },
    ]);
    expect(await shownIds()).toEqual([THIRD_POLL_ID]);
    await engine.queue({ ...unblock, payload: { username: 'mara.lind' } } as NewOperation);
    expect(await shownIds()).toEqual(ALL);
    await untilSent();
    expect(device.sent.at(-1)).toBe(UNBLOCK);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([]);
  });

  test('is shown again if the block is refused', async () => {
    answerAll({ [BLOCK]: errorResponse('not_found') });
    await engine.queue(block);
    await vi.waitFor(async () => expect((await outbox()).needsDecision).toHaveLength(1));
    expect(await shownIds()).toEqual(ALL);
  });

  test('under a name in upper or lower case is the same user', async () => {
    await engine.queue(block);
    await engine.queue(unblock);
    expect(await shownIds()).toEqual(ALL);
  });
});

test('a report without a response is retried with the same key', async () => {
  const keys: (string | undefined)[] = [];
  const replies = [noResponse, json(200, { reported: true })];
  answerAll({
    [REPORT]: (request) => {
      keys.push(request.headers['Idempotency-Key']);
      return (replies.shift() ?? noResponse)(request);
    },
  });
  await engine.queue(report);
  await vi.waitFor(async () => {
    device.clock.advance(31_000);
    expect((await outbox()).waiting).toEqual([]);
  });
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test('on a server without reports votes are still sent; the report needs a decision and the poll remains hidden', async () => {
  answerAll({ [REPORT]: errorResponse('unknown_endpoint') });
  await engine.queue(report);
  await engine.queue(voteOn(OTHER_POLL_ID, 1));
  device.routes[VOTE_ROUTE.replace(POLL_ID, OTHER_POLL_ID)] = json(200, {
    poll: samplePoll({ id: OTHER_POLL_ID, votes: [{ option: 1 }], rev: 6 }),
    user: { ...device.user, points: 11, rev: 2 },
  });
  engine.drain();
  await untilDecision();
  expect(await userSessionOf(engine).db.polls.get(OTHER_POLL_ID)).toMatchObject({ votes: [{ option: 1 }] });
  expect(await shownIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
  await engine.queue(takeBack);
  expect((await outbox()).needsDecision).toEqual([]);
  expect(await opTypes()).toEqual([]);
  expect(await shownIds()).toEqual(ALL);
});

test('a report that may have taken effect is taken back on the server even if it needs a decision', async () => {
  await engine.queue(report);
  await settled();
  answerAll({ [REPORT]: errorResponse('unknown_endpoint') });
  await untilDecision();
  await engine.queue(takeBack);
  expect((await outbox()).needsDecision).toEqual([]);
  expect(await opTypes()).toEqual(['takeBackReport']);
});

test('an attempt that fails while the browser is offline may have been sent if the server has responded since', async () => {
  isOnline = false;
  await engine.queue(report);
  await settled();
  await engine.queue(takeBack);
  expect(await opTypes()).toEqual(['report', 'takeBackReport']);
});

test('the list from the server replaces the blocked users, except for changes acknowledged since the read', async () => {
  answerAll();
  await engine.queue(block);
  await untilSent();
  const { db } = userSessionOf(engine);
  const blocks = [{ username: 'tomas', blockedAt: '2023-11-14T20:00:00.000Z' }];
  device.routes['GET /api/blocks'] = json(200, { blocks });
  expect(await engine.pullBlocks()).toBe('updated');
  // The acknowledgement and the read happen in the same millisecond of the fake clock.
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['mara.lind', 'tomas']);
  device.clock.advance(1_000);
  expect(await engine.pullBlocks()).toBe('updated');
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['tomas']);
  device.routes['GET /api/blocks'] = errorResponse('unknown_endpoint');
  expect(await engine.pullBlocks()).toBe('failed');
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['tomas']);
});

test('a report is never in a batch, which an earlier server would refuse with all its votes', async () => {
  const { db, userId, clock, context, voteOn: vote, applied } = await drainHarness();
  for (const pollId of [POLL_ID, OTHER_POLL_ID]) await vote(pollId);
  await queueOp(db, userId, block, clock.now());
  await vote(THIRD_POLL_ID);
  const { transport, exchanges } = scriptedTransport((request) =>
    (request.method === 'PUT' ? json(204, null) : applied())(request),
  );
  await drainLane(context(transport), 'votes');
  expect(await db.ops.toArray()).toEqual([]);
  expect(exchanges.filter(({ path }) => path.startsWith('/api/blocks'))).toMatchObject([
    { method: 'PUT', body: null },
  ]);
  expect(exchanges.some(({ body }) => String(body).includes('/api/blocks'))).toBe(false);
});
