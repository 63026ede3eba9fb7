import { beforeEach, describe, expect, test } from 'vitest';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import type { Drain, LaneBackoff } from './drain-context.ts';
import { nextStep, settle } from './settle.ts';

let device: DrainHarness;
let op: Op;

beforeEach(async () => {
  device = await drainHarness();
  await device.voteOn(POLL_ID);
  const [first] = await device.db.ops.toArray();
  if (first === undefined) throw new Error('no op');
  op = first;
});

function drainOf(votes: Partial<LaneBackoff> = {}, random = 0.5): Drain {
  const none = { failures: 0, lastFailedSeq: 0, notBeforeMs: 0, authFailures: 0 };
  const { transport } = scriptedTransport(noResponse);
  const backoff = { votes: { ...none, ...votes }, creations: none };
  const context = device.context(transport, { backoff, random: () => random });
  return { ...context, owner: 'tab-1:a', lane: 'votes' };
}

const retry = (changes: Partial<Extract<Outcome, { kind: 'retry' }>> = {}): Outcome => ({
  kind: 'retry',
  scope: 'lane',
  retryAfterMs: null,
  error: null,
  isFailedUpload: false,
  ...changes,
});
const refused: Outcome = { kind: 'rejected', error: { status: 409, code: 'poll_closed', message: '' } };

describe('a lane with failures', () => {
  test('pauses longer after each consecutive failure', () => {
    const drain = drainOf();
    const pauses = [1, 2, 3].map(() => nextStep(drain, { op, outcome: retry() }));
    expect(pauses).toEqual([{ pauseMs: 500 }, { pauseMs: 1_000 }, { pauseMs: 2_000 }]);
    expect(drain.backoff.votes).toEqual({
      failures: 3,
      lastFailedSeq: op.seq,
      notBeforeMs: 0,
      authFailures: 0,
    });
  });

  test('pauses for as long as the op’s attempts require, if that is longer than its own failures require', () => {
    expect(nextStep(drainOf(), { op: { ...op, attempts: 3 }, outcome: retry() })).toEqual({
      pauseMs: 4_000,
    });
  });

  test('pauses for as long as the server requests', () => {
    const drain = drainOf({ authFailures: 2 });
    expect(nextStep(drain, { op, outcome: retry({ retryAfterMs: 7_000 }) })).toEqual({ pauseMs: 7_000 });
    const notBeforeMs = device.clock.now() + 7_000;
    expect(drain.backoff.votes).toEqual({ failures: 1, lastFailedSeq: op.seq, notBeforeMs, authFailures: 2 });
  });
});

describe('an outcome', () => {
  test.each([
    ['a refusal', refused],
    ['a failure of this op only', retry({ scope: 'op', retryAfterMs: 7_000 })],
  ])('that is %s resets the failures of the lane and lets it continue', (_case, outcome) => {
    const drain = drainOf({ failures: 3, notBeforeMs: 1, authFailures: 2, lastFailedSeq: op.seq + 1 });
    expect(nextStep(drain, { op, outcome })).toBe('continue');
    expect(drain.backoff.votes).toEqual({
      failures: 0,
      lastFailedSeq: op.seq + 1,
      notBeforeMs: 0,
      authFailures: 0,
    });
  });

  test('of the op that failed last restores the order of the lane', () => {
    const drain = drainOf({ lastFailedSeq: op.seq });
    nextStep(drain, { op, outcome: refused });
    expect(drain.backoff.votes.lastFailedSeq).toBe(0);
  });
});

describe('a response without a valid session', () => {
  test('pauses the lane for at least a second, and doubles the pause from the third response on', () => {
    const drain = drainOf({ failures: 2, lastFailedSeq: 9 });
    const pauses = [1, 2, 3, 4].map(() => {
      expect(nextStep(drain, { op, outcome: { kind: 'blocked_auth' } })).toBe('blocked');
      return drain.backoff.votes.notBeforeMs - device.clock.now();
    });
    expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000]);
    expect(drain.backoff.votes).toMatchObject({ failures: 2, lastFailedSeq: 9, authFailures: 4 });
  });

  test('pauses the lane even if the random delay is zero', () => {
    const drain = drainOf({}, 0);
    nextStep(drain, { op, outcome: { kind: 'blocked_auth' } });
    expect(drain.backoff.votes.notBeforeMs - device.clock.now()).toBe(1_000);
  });
});

test('an unknown refusal of a poll does not count as a failed upload', async () => {
  await device.db.ops.clear();
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-1:a' });
  const [creation] = await device.db.ops.toArray();
  if (creation === undefined) throw new Error('no op');
  const error = { status: 403, code: 'unknown', message: '' } as const;
  await settle({ ...drainOf(), lane: 'creations' }, [{ op: creation, outcome: { kind: 'unclear', error } }]);
  expect(await device.db.ops.toArray()).toMatchObject([{ refusals: 1, failedUploads: 0 }]);
});
