import { beforeEach, expect, test, vi } from 'vitest';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { queueVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

test('ops that a closed tab has left are sent within 35 seconds', async () => {
  const engine = device.newEngine();
  await engine.start();
  // The drains of the start have ended: each lane has a timer for its next drain.
  await vi.waitFor(() => expect(device.clock.delays().filter((ms) => ms === 30_000)).toHaveLength(2));
  const { db, user } = userSessionOf(engine);
  // A second tab stores a vote and is closed before it can send it.
  await queueVote(db, { userId: user.id, pollId: POLL_ID, option: 1 }, device.clock.now());
  expect(device.sent).not.toContain(VOTE_ROUTE);
  device.clock.advance(35_000);
  await vi.waitFor(() => expect(device.sent).toContain(VOTE_ROUTE));
  await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
});
