import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readLocalImages, readPoints } from '#sync/client/cache/reads.ts';
import type { Engine } from '#sync/client/engine.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

const FIRST_EPOCH = '0b6a4a0e-36a7-4c2b-8f0e-6b1c1d2e3f40';
const NEXT_EPOCH = '1c7b5b1f-47b8-4d3c-9a1f-7c2d2e3f4a51';

/** Matches the state of an op that is queued or being sent. */
const WAITING = expect.stringMatching(/^(queued|sending)$/);

let device: EngineHarness;
let engine: Engine;

beforeEach(async () => {
  device = engineHarness();
  device.serverUser = { ...device.serverUser, points: 40, rev: 9, epoch: FIRST_EPOCH };
  device.routes['GET /api/user'] = json(200, device.serverUser);
  device.routes[VOTE_ROUTE] = json(200, {
    poll: samplePoll({ votes: [{ option: 1 }], rev: 6 }),
    user: { ...device.serverUser, points: 41, rev: 10 },
  });
  engine = device.newEngine();
  await engine.start();
});

const db = () => userSessionOf(engine).db;

/** Restores the server from a backup: the same account has an older state and a new epoch. */
function restoreServer() {
  device.serverUser = { ...device.serverUser, points: 20, rev: 3, epoch: NEXT_EPOCH };
  device.routes['GET /api/user'] = json(200, device.serverUser);
}

test('each op and each read sends the known epoch', async () => {
  const sentEpochs: (string | undefined)[] = [];
  for (const route of [VOTE_ROUTE, 'GET /api/trending']) {
    device.routes[route] = (request) => {
      sentEpochs.push(request.headers['X-Expected-Epoch']);
      return 'no_response';
    };
  }
  await engine.queue(newVote(POLL_ID, 1));
  await engine.pullTrending();
  await vi.waitFor(() => expect(sentEpochs).toEqual([FIRST_EPOCH, FIRST_EPOCH]));
});

describe('a server that was restored from a backup', () => {
  test('makes the device empty its cache and replace the cached user, even with a lower revision', async () => {
    await db().polls.put(samplePoll({ rev: 8, votesCount: 15 }));
    restoreServer();
    await engine.refreshUser();
    expect(await db().user.toArray()).toMatchObject([{ points: 20, rev: 3, epoch: NEXT_EPOCH }]);
    expect(userSessionOf(engine).user.points).toBe(20);
    expect(await db().polls.count()).toBe(0);
  });

  test('leaves waiting ops in the queue', async () => {
    delete device.routes[VOTE_ROUTE];
    await engine.queue(newVote(POLL_ID, 1));
    restoreServer();
    await engine.refreshUser();
    expect(await db().ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: WAITING }]);
  });

  test('receives recently acknowledged ops again, under their old keys and without a second event', async () => {
    const keys: (string | undefined)[] = [];
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = async (request) => {
      keys.push(request.headers['Idempotency-Key']);
      return (await accept?.(request)) ?? 'no_response';
    };
    const events: string[] = [];
    engine.onEvent(({ type }) => events.push(type));
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    restoreServer();
    device.routes[VOTE_ROUTE] = async (request) => {
      keys.push(request.headers['Idempotency-Key']);
      const user = { ...device.serverUser, points: 21, rev: 4 };
      return json(200, { poll: samplePoll({ votes: [{ option: 1 }], rev: 2 }), user })(request);
    };
    await engine.refreshUser();
    await vi.waitFor(() => expect(keys).toHaveLength(2));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    expect(new Set(keys).size).toBe(1);
    expect(events).toEqual(['applied']);
    expect(await db().polls.get(POLL_ID)).toMatchObject({ rev: 2, votes: [{ option: 1 }] });
    expect(await db().user.toArray()).toMatchObject([{ points: 21, rev: 4 }]);
  });

  test('receives the images of an acknowledged poll again', async () => {
    device.routes['POST /api/questions'] = json(201, {
      poll: samplePoll({ isMine: true }),
      user: { ...device.serverUser, points: 30, rev: 11 },
    });
    await engine.createPoll(sampleDraft());
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    expect(await db().opBlobs.count()).toBe(0);
    delete device.routes['POST /api/questions'];
    restoreServer();
    await engine.refreshUser();
    const [op] = await db().ops.toArray();
    expect(op).toMatchObject({ type: 'createPoll', state: WAITING });
    expect(Object.keys(await readLocalImages(db(), op?.opId ?? ''))).toEqual(['1', '2']);
  });

  test('does not receive ops that were acknowledged more than six hours ago', async () => {
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    device.clock.advance(6 * 3_600_000 + 1);
    // The next acknowledgement deletes outdated ones.
    device.routes[`POST /api/questions/${OTHER_POLL_ID}/vote`] = json(200, {
      poll: samplePoll({ id: OTHER_POLL_ID, votes: [{ option: 1 }] }),
      user: { ...device.serverUser, points: 42, rev: 11 },
    });
    await engine.queue(newVote(OTHER_POLL_ID, 1));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    expect(await db().acknowledged.count()).toBe(1);
    restoreServer();
    device.routes = { 'GET /api/user': json(200, device.serverUser) };
    await engine.refreshUser();
    expect(await db().ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID, isRepeated: true }]);
  });

  test('receives ops again that it rejected with `actor_mismatch` because of the former epoch', async () => {
    restoreServer();
    const applied = json(200, {
      poll: samplePoll({ votes: [{ option: 1 }], rev: 2 }),
      user: { ...device.serverUser, points: 21, rev: 4 },
    });
    device.routes[VOTE_ROUTE] = (request) =>
      request.headers['X-Expected-Epoch'] === NEXT_EPOCH
        ? applied(request)
        : errorResponse('actor_mismatch')(request);
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => {
      device.clock.advance(1_000);
      expect(await db().ops.count()).toBe(0);
    });
    expect(await db().user.toArray()).toMatchObject([{ points: 21, epoch: NEXT_EPOCH }]);
  });

  test('may refuse a repeated vote, which is then removed without an event', async () => {
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    const events: string[] = [];
    engine.onEvent(({ type }) => events.push(type));
    restoreServer();
    device.routes[VOTE_ROUTE] = errorResponse('not_found');
    await engine.refreshUser();
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    expect(events).toEqual([]);
  });

  test('receives an acknowledged poll again only after the votes that paid for it', async () => {
    device.routes['POST /api/questions'] = json(201, {
      poll: samplePoll({ isMine: true }),
      user: { ...device.serverUser, points: 30, rev: 11 },
    });
    await engine.queue(newVote(POLL_ID, 1));
    await engine.createPoll(sampleDraft());
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    const responseGate = Promise.withResolvers<void>();
    const accept = device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = async (request) => {
      await responseGate.promise;
      return (await accept?.(request)) ?? 'no_response';
    };
    restoreServer();
    device.sent.length = 0;
    await engine.refreshUser();
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    engine.tryConnection();
    await settled();
    expect(device.sent).not.toContain('POST /api/questions');
    expect((await readPoints(db()))?.pendingSpent).toBe(0);
    device.routes[VOTE_ROUTE] = json(200, {
      poll: samplePoll({ votes: [{ option: 1 }] }),
      user: { ...device.serverUser, points: 21, rev: 4 },
    });
    responseGate.resolve();
    await vi.waitFor(() => {
      device.clock.advance(1_000);
      expect(device.sent).toContain('POST /api/questions');
    });
  });

  test.each([
    // The usual reply of the harness.
    ['an acknowledgement', null],
    ['a success that this version cannot read', json(200, { ok: true })],
    ['a refusal', errorResponse('poll_closed')],
  ])('receives a vote again after %s arrives late from the former server', async (_case, reply) => {
    const responseGate = Promise.withResolvers<void>();
    const lateReply = reply ?? device.routes[VOTE_ROUTE];
    device.routes[VOTE_ROUTE] = async (request) => {
      await responseGate.promise;
      return (await lateReply?.(request)) ?? 'no_response';
    };
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    restoreServer();
    await engine.refreshUser();
    delete device.routes[VOTE_ROUTE];
    responseGate.resolve();
    await vi.waitFor(() => expect(device.sent.filter((route) => route === VOTE_ROUTE)).toHaveLength(2));
    expect(await db().ops.toArray()).toMatchObject([{ entityId: POLL_ID, state: WAITING }]);
    expect(await db().polls.count()).toBe(0);
    expect(await db().user.toArray()).toMatchObject([{ points: 20 }]);
  });
});

describe('a server that was set up from scratch, with another account of the same id', () => {
  function replaceServer() {
    device.serverUser = {
      ...device.serverUser,
      username: 'somebody.else',
      referralCode: 'OTHER1',
      createdAt: '2024-02-01T08:00:00.000Z',
      points: 10,
      rev: 1,
      epoch: NEXT_EPOCH,
    };
    device.routes['GET /api/user'] = json(200, device.serverUser);
  }

  test('makes the device replace the cached account with the new account', async () => {
    replaceServer();
    await engine.setUser(device.serverUser);
    expect(await db().user.toArray()).toMatchObject([{ username: 'somebody.else', points: 10 }]);
    expect(userSessionOf(engine).user.username).toBe('somebody.else');
  });

  test('does not receive waiting ops, which need a decision', async () => {
    const accept = device.routes[VOTE_ROUTE];
    delete device.routes[VOTE_ROUTE];
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
    replaceServer();
    device.sent.length = 0;
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    await engine.setUser(device.serverUser);
    engine.tryConnection();
    device.clock.advance(60_000);
    await settled();
    expect(device.sent).not.toContain(VOTE_ROUTE);
    expect(await db().ops.toArray()).toMatchObject([
      { entityId: POLL_ID, state: 'needs_attention', lastError: { code: 'server_replaced' } },
    ]);
  });

  test('does not receive ops that were kept at a logout', async () => {
    const accept = device.routes[VOTE_ROUTE];
    delete device.routes[VOTE_ROUTE];
    await engine.queue(newVote(POLL_ID, 1));
    await engine.logOut('keep');
    replaceServer();
    if (accept !== undefined) device.routes[VOTE_ROUTE] = accept;
    device.sent.length = 0;
    await engine.setUser(device.serverUser);
    expect(await db().ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
    expect(device.sent).not.toContain(VOTE_ROUTE);
  });

  test('does not receive ops that the former server acknowledged', async () => {
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () => expect(await db().ops.count()).toBe(0));
    replaceServer();
    await engine.setUser(device.serverUser);
    expect(await db().ops.count()).toBe(0);
    expect(await db().acknowledged.count()).toBe(0);
  });
});

test('the cache is kept if the server sends no epoch', async () => {
  await db().polls.put(samplePoll({ rev: 8 }));
  const { epoch: _epoch, ...user } = { ...device.serverUser, rev: 12 };
  device.routes['GET /api/user'] = json(200, user);
  await engine.refreshUser();
  expect(await db().polls.count()).toBe(1);
  expect(await db().user.toArray()).toMatchObject([{ rev: 12, epoch: FIRST_EPOCH }]);
});
