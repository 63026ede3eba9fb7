import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import type { Engine } from './engine.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('a start', () => {
  test('shows a visitor if nobody is logged in', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const engine = device.newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('visitor');
  });

  test('shows the last user at once without a network', async () => {
    await device.newEngine().start();
    device.routes = {};
    const engine = device.newEngine();
    await engine.start();
    expect(userSessionOf(engine)).toMatchObject({ user: { id: device.serverUser.id }, needsLogin: false });
  });
});

test('a session that has ended leaves the cache and waiting ops on the device for the next login', async () => {
  const engine = device.newEngine();
  await engine.start();
  device.routes = {};
  await engine.queue(newVote(POLL_ID, 1));
  await userSessionOf(engine).db.polls.put(samplePoll());
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  await engine.refreshUser();
  const { db, needsLogin } = userSessionOf(engine);
  expect(needsLogin).toBe(true);
  await vi.waitFor(async () => expect(await db.ops.toArray()).toMatchObject([{ state: 'blocked_auth' }]));
  expect([await db.polls.count(), await db.user.count()]).toEqual([1, 1]);
});

test('a tab whose session has ended checks the session again when it becomes visible', async () => {
  const engine = device.newEngine();
  await engine.start();
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  await engine.refreshUser();
  await engine.queue(newVote(POLL_ID, 1));
  expect(userSessionOf(engine).needsLogin).toBe(true);
  // Another tab has logged in, and this tab was not notified.
  device.routes['GET /api/user'] = json(200, device.serverUser);
  engine.tryConnection();
  await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
  expect(userSessionOf(engine).needsLogin).toBe(false);
});

test('after a login the user is shown at once and fetched again', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  device.routes['GET /api/user'] = json(200, { ...device.serverUser, points: 12, rev: 2 });
  await engine.setUser(device.serverUser);
  expect(userSessionOf(engine).user.points).toBe(device.serverUser.points);
  await vi.waitFor(() => expect(userSessionOf(engine).user.points).toBe(12));
});

describe('a vote', () => {
  test('is stored and then sent at once', async () => {
    const engine = device.newEngine();
    await engine.start();
    const onEvent = vi.fn();
    engine.onEvent(onEvent);
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(onEvent).toHaveBeenCalledTimes(1));
    expect(onEvent.mock.calls[0]?.[0]).toMatchObject({ type: 'applied', poll: { rev: 6 } });
    expect(await userSessionOf(engine).db.ops.count()).toBe(0);
  });

  test('that was cast offline is sent when the browser is online again', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(async () =>
      expect(await userSessionOf(engine).db.ops.toArray()).toMatchObject([{ state: 'queued', attempts: 1 }]),
    );
    device.routes = reachable;
    engine.tryConnection();
    await vi.waitFor(async () => expect(await userSessionOf(engine).db.ops.count()).toBe(0));
  });

  test('is not sent as another user, but after the next login of its own user', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.queue(newVote(POLL_ID, 1));
    const otherUser = sampleUser({ id: device.serverUser.id + 10_000 });
    await engine.setUser(otherUser);
    device.routes = { ...reachable, 'GET /api/user': json(200, otherUser) };
    device.sent = [];
    engine.tryConnection();
    await settled();
    expect(device.sent).not.toContain(VOTE_ROUTE);
    device.routes = reachable;
    await engine.setUser(device.serverUser);
    await vi.waitFor(() => expect(device.sent.filter((route) => route === VOTE_ROUTE)).toHaveLength(1));
  });
});

describe('queueing', () => {
  test.each([
    ['a vote', (engine: Engine) => engine.queue(newVote(POLL_ID, 1))],
    ['a poll', (engine: Engine) => engine.createPoll(sampleDraft())],
  ])('%s requests persistent storage once and a background drain each time', async (_case, queue) => {
    const persist = vi.fn(async () => {});
    const requestBackgroundDrain = vi.fn();
    const engine = device.newEngine({
      storage: { ...fakeBrowser.storage, persist },
      requestBackgroundDrain,
    });
    await engine.start();
    device.routes = {};
    // Persistent storage is not requested before there is data to lose, because the request may prompt the user.
    expect([persist, requestBackgroundDrain].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    await queue(engine);
    expect([persist, requestBackgroundDrain].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    // The request has to be repeated after the browser has woken the worker.
    await engine.queue(newVote(OTHER_POLL_ID, 1));
    expect([persist, requestBackgroundDrain].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  });
});

test('a failing server gets no retry before its Retry-After has passed, even if it responds to other requests', async () => {
  device.routes[VOTE_ROUTE] = errorResponse('unavailable', { 'Retry-After': '30' });
  // The health check takes some time, as over a real network.
  const healthy = device.routes['GET /api/health'];
  device.routes['GET /api/health'] = async (request) => {
    await settled();
    return healthy?.(request) ?? 'no_response';
  };
  const engine = device.newEngine();
  await engine.start();
  await engine.queue(newVote(POLL_ID, 1));
  await settled();
  const countVotes = () => device.sent.filter((route) => route === VOTE_ROUTE).length;
  expect(countVotes()).toBe(1);
  device.clock.advance(29_999);
  await settled();
  expect(countVotes()).toBe(1);
  device.clock.advance(1);
  await vi.waitFor(() => expect(countVotes()).toBe(2));
});

test('the session is checked when a server that could not be reached at the start is reachable', async () => {
  const reachable = device.routes;
  device.routes = {};
  const engine = device.newEngine();
  await engine.start();
  expect(engine.session.get().status).toBe('visitor');
  device.routes = reachable;
  engine.tryConnection();
  await vi.waitFor(() => expect(userSessionOf(engine).user.id).toBe(device.serverUser.id));
});
