import { beforeEach, describe, expect, test, vi } from 'vitest';
import { StorageFullError } from '#sync/client/cache/storage.ts';
import type { Op } from '#sync/operations/registry.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { errorResponse, json, noResponse } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID, sampleDraft, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { EngineEvent } from './emitter.ts';
import type { Engine } from './engine.ts';
import { LoggedOutError } from './engine-errors.ts';

const POLL_ROUTE = `GET /api/questions/${POLL_ID}`;
const CREATE_ROUTE = 'POST /api/questions';
/** The space that images must leave free. */
const RESERVE_BYTES = 10 * 1024 * 1024;

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** An engine with a logged-in user, after the drains of its start. */
async function startedEngine(capabilities: Parameters<EngineHarness['newEngine']>[0] = {}): Promise<Engine> {
  const engine = device.newEngine(capabilities);
  await engine.start();
  // Each lane now has only the timer of its next drain.
  await vi.waitFor(() => expect(device.clock.delays().filter((ms) => ms === 30_000)).toHaveLength(2));
  return engine;
}

function eventsOf(engine: Engine): EngineEvent[] {
  const events: EngineEvent[] = [];
  engine.onEvent((event) => events.push(event));
  return events;
}

async function onlyOp(engine: Engine): Promise<Op> {
  const [op] = await userSessionOf(engine).db.ops.toArray();
  if (op === undefined) throw new Error('no op');
  return op;
}

/** The reply of a server that never responds. */
const neverRespond = () => new Promise<'no_response'>(() => {});

const countSent = (route: string) => device.sent.filter((sentRoute) => sentRoute === route).length;

describe('a new poll', () => {
  test('is sent as soon as it is queued', async () => {
    const engine = await startedEngine();
    await engine.createPoll(sampleDraft());
    await vi.waitFor(() => expect(device.sent).toContain(CREATE_ROUTE));
  });

  test('is reported as delayed if there is no response after a second', async () => {
    device.routes[CREATE_ROUTE] = neverRespond;
    const engine = await startedEngine();
    const events = eventsOf(engine);
    const pollId = await engine.createPoll(sampleDraft());
    await vi.waitFor(() => expect(device.sent).toContain(CREATE_ROUTE));
    device.clock.advance(999);
    await settled();
    expect(events).toEqual([]);
    device.clock.advance(1);
    await vi.waitFor(() => expect(events).toMatchObject([{ type: 'delayed', op: { entityId: pollId } }]));
  });

  test('is not reported as delayed if it was refused within that second', async () => {
    device.routes[CREATE_ROUTE] = errorResponse('insufficient_points');
    const engine = await startedEngine();
    const events = eventsOf(engine);
    await engine.createPoll(sampleDraft());
    await vi.waitFor(() => expect(events).toMatchObject([{ type: 'rejected' }]));
    device.clock.advance(1_000);
    await settled();
    expect(events).toHaveLength(1);
  });

  test('is not reported as delayed while it waits for a login', async () => {
    const engine = await startedEngine();
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    await engine.refreshUser();
    expect(userSessionOf(engine).needsLogin).toBe(true);
    const events = eventsOf(engine);
    await engine.createPoll(sampleDraft());
    device.clock.advance(1_000);
    await settled();
    expect(events).toEqual([]);
  });

  test('replaces the refused poll that the user has edited', async () => {
    device.routes[CREATE_ROUTE] = errorResponse('insufficient_points');
    const engine = await startedEngine();
    const pollId = await engine.createPoll(sampleDraft());
    await vi.waitFor(async () => expect(await onlyOp(engine)).toMatchObject({ state: 'rejected' }));
    const { opId } = await onlyOp(engine);
    device.routes[CREATE_ROUTE] = neverRespond;
    expect(await engine.createPoll(sampleDraft({ question: 'Beach?' }), opId)).toBe(pollId);
    expect(await userSessionOf(engine).db.ops.toArray()).toMatchObject([{ payload: { question: 'Beach?' } }]);
  });

  test('is not queued if there is no space for both images even after cached images were deleted', async () => {
    const dropImages = vi.fn(async () => {});
    let freeBytes = RESERVE_BYTES + 5;
    const storage = { ...fakeBrowser.storage, freeBytes: async () => freeBytes, dropImages };
    const engine = await startedEngine({ storage });
    const draft = sampleDraft();
    const [firstImage, secondImage] = draft.images;
    const bytes = new ArrayBuffer(3);
    const images = [
      { ...firstImage, bytes },
      { ...secondImage, bytes },
    ] as const;
    await expect(engine.createPoll({ ...draft, images })).rejects.toThrow(StorageFullError);
    expect(dropImages).toHaveBeenCalledOnce();
    expect(await userSessionOf(engine).db.ops.count()).toBe(0);
    freeBytes += 1;
    await engine.createPoll({ ...draft, images });
  });
});

describe('a vote', () => {
  test('causes a fetch of the poll if it is refused', async () => {
    device.routes[VOTE_ROUTE] = errorResponse('poll_closed');
    device.routes[POLL_ROUTE] = json(200, samplePoll({ active: false, rev: 9 }));
    const engine = await startedEngine();
    await engine.queue(newVote(POLL_ID, 1));
    const { db } = userSessionOf(engine);
    await vi.waitFor(async () => expect(await db.polls.get(POLL_ID)).toMatchObject({ rev: 9 }));
  });

  test('causes a fetch of the poll and the points if its response cannot be read', async () => {
    device.routes[VOTE_ROUTE] = json(200, { of: 'a newer server' });
    device.routes[POLL_ROUTE] = json(200, samplePoll({ rev: 9 }));
    const engine = await startedEngine();
    device.routes['GET /api/user'] = json(200, { ...device.serverUser, points: 11, rev: 2 });
    await engine.queue(newVote(POLL_ID, 1));
    const { db } = userSessionOf(engine);
    await vi.waitFor(async () => expect(await db.polls.get(POLL_ID)).toMatchObject({ rev: 9 }));
    await vi.waitFor(() => expect(userSessionOf(engine).user.points).toBe(11));
  });

  test('is sent again at once if its attempt fails after the browser came online', async () => {
    const failure = Promise.withResolvers<'no_response'>();
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = () => failure.promise;
    const engine = await startedEngine();
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(countSent(VOTE_ROUTE)).toBe(1));
    engine.tryConnection();
    await settled();
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    failure.resolve('no_response');
    // The clock does not advance.
    await vi.waitFor(() => expect(countSent(VOTE_ROUTE)).toBe(2));
  });

  test('causes no fetch if its response can be read', async () => {
    const engine = await startedEngine();
    const events = eventsOf(engine);
    device.sent.length = 0;
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(events).toMatchObject([{ type: 'applied' }]));
    await settled();
    expect(device.sent).toEqual([VOTE_ROUTE]);
  });

  test('can neither be queued nor discarded while nobody is logged in', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine();
    await engine.start();
    await expect(engine.queue(newVote(POLL_ID, 1))).rejects.toThrow(LoggedOutError);
    await expect(engine.discard('a')).rejects.toThrow(LoggedOutError);
  });
});

test('a refused poll causes no fetch, since the server does not have the poll', async () => {
  device.routes[CREATE_ROUTE] = errorResponse('insufficient_points');
  const engine = await startedEngine();
  const events = eventsOf(engine);
  device.sent.length = 0;
  await engine.createPoll(sampleDraft());
  await vi.waitFor(() => expect(events).toMatchObject([{ type: 'rejected' }]));
  await settled();
  expect(device.sent).toEqual([CREATE_ROUTE]);
});

describe('a refused op', () => {
  async function refusedVote() {
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = errorResponse('poll_closed');
    const engine = await startedEngine();
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => expect(await onlyOp(engine)).toMatchObject({ state: 'rejected' }));
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    return { engine, opId: (await onlyOp(engine)).opId, db: userSessionOf(engine).db };
  }

  test('is sent again at once when the user retries it', async () => {
    const { engine, opId, db } = await refusedVote();
    await engine.tryAgain(opId);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
    expect(countSent(VOTE_ROUTE)).toBe(2);
  });

  test('is deleted when the user discards it', async () => {
    const { engine, opId, db } = await refusedVote();
    expect(await engine.discard(opId)).toBe(true);
    expect(await db.ops.count()).toBe(0);
    expect(countSent(VOTE_ROUTE)).toBe(1);
  });
});

describe('an op that the server has postponed', () => {
  async function postponedVote() {
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = errorResponse('rate_limited', { 'Retry-After': '60' });
    const engine = await startedEngine();
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () =>
      expect(await onlyOp(engine)).toMatchObject({ attempts: 1, state: 'queued' }),
    );
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    return { engine, opId: (await onlyOp(engine)).opId, db: userSessionOf(engine).db };
  }

  test('is sent when the user requests it, even during the pause', async () => {
    const { engine, opId, db } = await postponedVote();
    await engine.tryNow(opId);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
  });

  test('is not sent before the end of the pause when the browser comes online', async () => {
    const { engine, db } = await postponedVote();
    engine.tryConnection();
    await settled();
    expect(countSent(VOTE_ROUTE)).toBe(1);
    expect(await db.ops.toArray()).toMatchObject([{ attempts: 1 }]);
  });

  test('does not delay the lane after the next login', async () => {
    const { engine, db } = await postponedVote();
    // The op itself is due again: only its lane still pauses.
    await db.ops.toCollection().modify({ nextAttemptAt: 0 });
    await engine.setUser(device.serverUser);
    await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
  });
});

test('a poll that kept failing is retried at once when the server is reachable again', async () => {
  device.routes[CREATE_ROUTE] = noResponse;
  const engine = await startedEngine();
  const { db } = userSessionOf(engine);
  await engine.createPoll(sampleDraft());
  await vi.waitFor(async () => expect(await onlyOp(engine)).toMatchObject({ state: 'queued', attempts: 1 }));
  const nextAttemptAt = device.clock.now() + 3_000_000;
  await db.ops.toCollection().modify({ failedUploads: 9, nextAttemptAt });
  engine.tryConnection();
  await settled();
  expect(await onlyOp(engine)).toMatchObject({ failedUploads: 9, nextAttemptAt });
  expect(countSent(CREATE_ROUTE)).toBe(1);
  const reachable = device.routes;
  device.routes = {};
  engine.wentOffline();
  await vi.waitFor(() => expect(engine.connection.get().phase).toBe('disconnected'));
  await settled();
  // Without a response there is no third attempt.
  device.routes = { ...reachable, [CREATE_ROUTE]: neverRespond };
  engine.tryConnection();
  await vi.waitFor(() => expect(countSent(CREATE_ROUTE)).toBe(2));
  expect(await onlyOp(engine)).toMatchObject({ failedUploads: 0 });
});
