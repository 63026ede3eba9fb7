import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

/** A tab whose session has ended, with a waiting vote. */
async function tabWithEndedSession() {
  const engine = device.newEngine();
  await engine.start();
  const reachable = device.routes;
  device.routes = {};
  await engine.queue(newVote(POLL_ID, 1));
  device.routes = { ...reachable, 'GET /api/user': errorResponse('unauthenticated') };
  await engine.refreshUser();
  expect(userSessionOf(engine).needsLogin).toBe(true);
  return { engine, reachable };
}

describe('a tab recovers', () => {
  test('after a first start without a response', async () => {
    const { serverUser } = device;
    device.routes['GET /api/user'] = json(503, null);
    const engine = device.newEngine();
    await engine.start();
    expect(engine.session.get().status).toBe('visitor');
    device.routes['GET /api/user'] = json(200, serverUser);
    device.clock.advance(10_000);
    await vi.waitFor(() => expect(userSessionOf(engine).user.id).toBe(serverUser.id));
  });

  test('after a session check without a response while the session counts as ended', async () => {
    const { engine, reachable } = await tabWithEndedSession();
    device.routes = { ...reachable, 'GET /api/user': () => 'no_response' };
    await engine.refreshUser();
    device.routes = reachable;
    device.clock.advance(10_000);
    await vi.waitFor(() => expect(userSessionOf(engine).needsLogin).toBe(false));
    await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
  });

  test('after session checks without a response following a restore of the server', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = { [VOTE_ROUTE]: errorResponse('actor_mismatch') };
    await engine.queue(newVote(POLL_ID, 1));
    await vi.waitFor(() => expect(userSessionOf(engine).needsLogin).toBe(true));
    await vi.waitFor(() => expect(device.clock.delays()).toContain(10_000));
    // The next session check gets no response either.
    device.sent.length = 0;
    device.clock.advance(10_000);
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    await vi.waitFor(() => expect(device.clock.delays()).toContain(10_000));
    device.routes = reachable;
    device.clock.advance(10_000);
    await vi.waitFor(async () => expect(await userSessionOf(engine).db.ops.count()).toBe(0));
    expect(device.sent).toContain(VOTE_ROUTE);
  });
});

test('a login in one tab also logs in another tab of the same user', async () => {
  const { engine, reachable } = await tabWithEndedSession();
  const otherTab = device.newEngine();
  await otherTab.start();
  expect(userSessionOf(otherTab).needsLogin).toBe(true);
  device.routes = reachable;
  await engine.setUser(device.serverUser);
  await vi.waitFor(() => expect(userSessionOf(otherTab).needsLogin).toBe(false));
});

test('the session check is not repeated after a response that nobody is logged in', async () => {
  device.routes['GET /api/user'] = errorResponse('unauthenticated');
  const engine = device.newEngine();
  await engine.start();
  const requestCount = device.sent.length;
  device.clock.advance(120_000);
  await settled();
  expect(device.sent).toHaveLength(requestCount);
});
