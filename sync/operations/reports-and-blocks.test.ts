import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readBlockedUsers, readOutbox, readPoll, readPollsTab } from '#sync/client/cache/reads.ts';
import { drainLane } from '#sync/client/drain/drain.ts';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { Engine } from '#sync/client/engine.ts';
import { queueOp, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
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
import { newVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { SmallOpInput } from './registry.ts';

const REPORT = `POST /api/questions/${POLL_ID}/report`;
const TAKE_BACK = `DELETE /api/questions/${POLL_ID}/report`;
const BLOCK = 'PUT /api/blocks/mara.lind';
const UNBLOCK = 'DELETE /api/blocks/mara.lind';
const THIRD_POLL_ID = '019352aa-0000-7000-8000-000000000003';

const report: SmallOpInput = { type: 'report', payload: { pollId: POLL_ID, reason: 'spam' } };
const takeBack: SmallOpInput = { type: 'takeBackReport', payload: { pollId: POLL_ID } };
const block: SmallOpInput = { type: 'block', payload: { username: 'mara.lind' } };
const unblock: SmallOpInput = { type: 'unblock', payload: { username: 'mara.lind' } };

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

/** Until this is called, the server does not respond to reports and blocks. Then it accepts them, save for `exceptions`. */
function acceptAll(exceptions: Record<string, Reply> = {}): void {
  Object.assign(device.routes, {
    [REPORT]: json(200, { reported: true }),
    [TAKE_BACK]: json(200, { reported: false }),
    [BLOCK]: json(204, null),
    [UNBLOCK]: json(204, null),
    ...exceptions,
  });
}

/** The ids of the polls on the Polls tab. `kept`: polls that remain in the list although they are hidden. */
async function shownPollIds(kept?: ReadonlySet<string>): Promise<string[]> {
  const { trending, latest } = await readPollsTab(userSessionOf(engine).db, device.clock.now(), kept);
  return [...trending, ...latest].map(({ poll }) => poll.id).toSorted();
}

const currentOutbox = () => readOutbox(userSessionOf(engine).db);
const opTypes = async () => (await currentOutbox()).waiting.map(({ type }) => type);
const ALL_POLL_IDS = [POLL_ID, OTHER_POLL_ID, THIRD_POLL_ID];

async function waitUntilSent(): Promise<void> {
  engine.tryConnection();
  await vi.waitFor(async () => expect((await currentOutbox()).waiting).toEqual([]));
  await settled();
}

/** Advances the clock until an op has failed five times and needs a decision. */
async function waitUntilDecisionNeeded(): Promise<void> {
  await vi.waitFor(async () => {
    // Otherwise the lease of an op that is being sent could expire, so that the op would count as taken over.
    await settled();
    device.clock.advance(31_000);
    expect((await currentOutbox()).needsDecision).toHaveLength(1);
  });
}

describe('a poll that the user reports', () => {
  test('is hidden at once, even after the report was sent, until the report is taken back', async () => {
    await engine.queue(report);
    expect(await shownPollIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
    expect(await shownPollIds(new Set([POLL_ID]))).toEqual(ALL_POLL_IDS);
    await settled();
    const sentBefore = device.sent.length;
    acceptAll();
    await waitUntilSent();
    expect(device.sent.slice(sentBefore).filter((route) => route !== 'GET /api/user')).toEqual([REPORT]);
    expect(await shownPollIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
    expect(await readPoll(userSessionOf(engine).db, POLL_ID, 0)).toMatchObject({
      hidden: { reason: 'spam', op: null },
    });
    // The poll was not fetched and remains cached, so that Undo can show it again.
    expect(device.sent).not.toContain(`GET /api/questions/${POLL_ID}`);
    await engine.queue(takeBack);
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
    await waitUntilSent();
    expect(device.sent.at(-1)).toBe(TAKE_BACK);
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
  });

  test('leaves no op in the queue if the report is taken back before it was sent', async () => {
    await goOffline();
    await engine.queue(report);
    await settled();
    await engine.queue(takeBack);
    expect(await opTypes()).toEqual([]);
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
  });

  test('is reported to the server before the report is taken back there, if the report may have been sent', async () => {
    await engine.queue(report);
    await settled();
    await engine.queue(takeBack);
    expect(await opTypes()).toEqual(['report', 'takeBackReport']);
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
    const sentBefore = device.sent.length;
    acceptAll();
    await waitUntilSent();
    expect(device.sent.slice(sentBefore).filter((route) => route.includes('/report'))).toEqual([
      REPORT,
      TAKE_BACK,
    ]);
  });

  test('is reported for the latest reason if the report is changed before it was sent', async () => {
    await goOffline();
    await engine.queue(report);
    await settled();
    await engine.queue({ type: 'report', payload: { pollId: POLL_ID, reason: 'other', text: 'Mine' } });
    const { waiting } = await currentOutbox();
    expect(waiting.map(({ request }) => request)).toMatchObject([
      { body: '{"reason":"other","text":"Mine"}' },
    ]);
    // The outbox page shows the question.
    expect(waiting[0]?.payload).toMatchObject({ question: 'First cup of the day?' });
  });

  test('is shown again if the report is refused', async () => {
    acceptAll({ [REPORT]: errorResponse('own_poll') });
    await engine.queue(report);
    await vi.waitFor(async () => expect((await currentOutbox()).needsDecision).toHaveLength(1));
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
    expect(events).toMatchObject([{ type: 'rejected', op: { type: 'report' }, error: { code: 'own_poll' } }]);
    // Another report replaces the refused report.
    await engine.queue(report);
    const { needsDecision, waiting } = await currentOutbox();
    expect([...needsDecision, ...waiting]).toHaveLength(1);
  });

  test('is removed from the cache if it no longer exists on the server', async () => {
    acceptAll({ [REPORT]: errorResponse('not_found') });
    await engine.queue(report);
    await vi.waitFor(async () => expect((await currentOutbox()).needsDecision).toHaveLength(1));
    expect(await userSessionOf(engine).db.polls.get(POLL_ID)).toBeUndefined();
    expect(await shownPollIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
  });
});

describe('a maker whom the user blocks', () => {
  test('is hidden at once, even after the block was sent, until they are unblocked', async () => {
    await engine.queue(block);
    expect(await shownPollIds()).toEqual([THIRD_POLL_ID]);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([
      { username: 'mara.lind', state: 'waiting' },
    ]);
    await settled();
    const sentBefore = device.sent.length;
    acceptAll();
    await waitUntilSent();
    expect(device.sent.slice(sentBefore).filter((route) => route === BLOCK)).toEqual([BLOCK]);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([
      { username: 'mara.lind', state: 'confirmed' },
    ]);
    expect(await shownPollIds()).toEqual([THIRD_POLL_ID]);
    await engine.queue(unblock);
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
    await waitUntilSent();
    expect(device.sent.at(-1)).toBe(UNBLOCK);
    expect(await readBlockedUsers(userSessionOf(engine).db)).toEqual([]);
  });

  test('is shown again if the block is refused', async () => {
    acceptAll({ [BLOCK]: errorResponse('not_found') });
    await engine.queue(block);
    await vi.waitFor(async () => expect((await currentOutbox()).needsDecision).toHaveLength(1));
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
  });

  test('can be unblocked by a name in another case', async () => {
    await engine.queue(block);
    await engine.queue({ type: 'unblock', payload: { username: 'Mara.Lind' } });
    expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
  });
});

test('a report without a response is retried with the same key', async () => {
  const keys: (string | undefined)[] = [];
  const replies = [noResponse, json(200, { reported: true })];
  acceptAll({
    [REPORT]: (request) => {
      keys.push(request.headers['Idempotency-Key']);
      return (replies.shift() ?? noResponse)(request);
    },
  });
  await engine.queue(report);
  await vi.waitFor(async () => {
    device.clock.advance(31_000);
    expect((await currentOutbox()).waiting).toEqual([]);
  });
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test('with a server of an earlier release that does not know reports, votes are sent, and the poll is hidden until the report is taken back', async () => {
  acceptAll({
    [REPORT]: errorResponse('unknown_endpoint'),
    [VOTE_ROUTE.replace(POLL_ID, OTHER_POLL_ID)]: json(200, {
      poll: samplePoll({ id: OTHER_POLL_ID, votes: [{ option: 1 }], rev: 6 }),
      user: { ...device.serverUser, points: 11, rev: 2 },
    }),
  });
  await engine.queue(report);
  await engine.queue(newVote(OTHER_POLL_ID, 1));
  await waitUntilDecisionNeeded();
  expect(await userSessionOf(engine).db.polls.get(OTHER_POLL_ID)).toMatchObject({ votes: [{ option: 1 }] });
  expect(await shownPollIds()).toEqual([OTHER_POLL_ID, THIRD_POLL_ID]);
  // The server has certainly not stored the report, so taking it back sends nothing.
  await engine.queue(takeBack);
  expect((await currentOutbox()).needsDecision).toEqual([]);
  expect(await opTypes()).toEqual([]);
  expect(await shownPollIds()).toEqual(ALL_POLL_IDS);
});

test('a report that needs a decision but may have taken effect is taken back on the server', async () => {
  await engine.queue(report);
  await settled();
  acceptAll({ [REPORT]: errorResponse('unknown_endpoint') });
  await waitUntilDecisionNeeded();
  await engine.queue(takeBack);
  expect((await currentOutbox()).needsDecision).toEqual([]);
  expect(await opTypes()).toEqual(['takeBackReport']);
});

test('a report that got no response is taken back on the server even if its attempts were reset before it was refused', async () => {
  const { db, userId, clock, context } = await drainHarness();
  await queueOp(db, userId, report, clock.now());
  const { transport } = scriptedTransport(noResponse, errorResponse('unknown_endpoint'));
  await drainLane(context(transport), 'votes');
  await resetOpBackoff(db);
  for (let refusals = 1; refusals <= 5; refusals += 1) {
    await drainLane(context(transport), 'votes');
    clock.advance(60_000);
  }
  expect(await db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
  await queueOp(db, userId, takeBack, clock.now());
  expect((await db.ops.toArray()).map(({ type }) => type)).toEqual(['takeBackReport']);
});

test('a report may have been sent if the server is reachable although the browser says that the device is offline', async () => {
  isOnline = false;
  await engine.queue(report);
  await settled();
  await engine.queue(takeBack);
  expect(await opTypes()).toEqual(['report', 'takeBackReport']);
});

test('blocked users are replaced by the list from the server, except for newer changes, and kept if the list cannot be fetched', async () => {
  acceptAll();
  await engine.queue(block);
  await waitUntilSent();
  const { db } = userSessionOf(engine);
  const blocks = [{ username: 'tomas', blockedAt: '2023-11-14T20:00:00.000Z' }];
  device.routes['GET /api/blocks'] = json(200, { blocks });
  expect(await engine.pullBlocks()).toBe('updated');
  // The block was acknowledged in the millisecond in which this pull started, so it counts as newer.
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['mara.lind', 'tomas']);
  device.clock.advance(1_000);
  expect(await engine.pullBlocks()).toBe('updated');
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['tomas']);
  device.routes['GET /api/blocks'] = errorResponse('unknown_endpoint');
  expect(await engine.pullBlocks()).toBe('failed');
  expect((await readBlockedUsers(db)).map(({ username }) => username)).toEqual(['tomas']);
});

test('a block is never sent in a batch', async () => {
  const { db, userId, clock, context, voteOn, applied } = await drainHarness();
  for (const pollId of [POLL_ID, OTHER_POLL_ID]) await voteOn(pollId);
  await queueOp(db, userId, block, clock.now());
  await voteOn(THIRD_POLL_ID);
  const acceptBlock = json(204, null);
  const acceptVote = applied();
  const { transport, exchanges } = scriptedTransport((request) =>
    request.method === 'PUT' ? acceptBlock(request) : acceptVote(request),
  );
  await drainLane(context(transport), 'votes');
  expect(await db.ops.toArray()).toEqual([]);
  expect(exchanges.filter(({ path }) => path.startsWith('/api/blocks'))).toMatchObject([
    { method: 'PUT', body: null },
  ]);
  expect(exchanges.some(({ body }) => String(body).includes('/api/blocks'))).toBe(false);
});
