import { beforeEach, describe, expect, test } from 'vitest';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Drain, LaneTrouble } from '#sync/client/types.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { Outcome } from '#sync/protocol/outcome.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { lost, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { settle, stepAfter } from './settle.ts';

let device: DrainHarness;
let op: Op;

beforeEach(async () => {
  device = await drainHarness();
  await device.voteOn(POLL_ID);
  const [first] = await device.db.ops.toArray();
  if (first === undefined) throw new Error('no op');
  op = first;
});

function drainOf(votes: Partial<LaneTrouble> = {}, random = 0.5): Drain {
  const none = { times: 0, behindSeq: 0, notBeforeMs: 0, blocks: 0 };
  const { transport } = scriptedTransport(lost);
  const trouble = { votes: { ...none, ...votes }, creations: none };
  const context = device.context(transport, { trouble, random: () => random });
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

describe('a lane that meets trouble', () => {
  test('pauses for longer the more often it meets it in a row', () => {
    const drain = drainOf();
    const pauses = [1, 2, 3].map(() => stepAfter(drain, { op, outcome: retry() }));
    expect(pauses).toEqual([{ pauseMs: 500 }, { pauseMs: 1_000 }, { pauseMs: 2_000 }]);
    expect(drain.trouble.votes).toEqual({ times: 3, behindSeq: op.seq, notBeforeMs: 0, blocks: 0 });
  });

  test('pauses for as long as the op was tried, if that is longer', () => {
    expect(stepAfter(drainOf(), { op: { ...op, attempts: 3 }, outcome: retry() })).toEqual({
      pauseMs: 4_000,
    });
  });

  test('remembers until when the server wants to be left alone, and how often the session was refused', () => {
    const drain = drainOf({ blocks: 2 });
    expect(stepAfter(drain, { op, outcome: retry({ retryAfterMs: 7_000 }) })).toEqual({ pauseMs: 7_000 });
    const notBeforeMs = device.clock.now() + 7_000;
    expect(drain.trouble.votes).toEqual({ times: 1, behindSeq: op.seq, notBeforeMs, blocks: 2 });
  });
});

describe('an answer', () => {
  test.each([
    ['a refusal', refused],
    ['trouble with this op alone', retry({ scope: 'op', retryAfterMs: 7_000 })],
  ])('that is %s ends the trouble of the lane, which goes on', (_what, outcome) => {
    const drain = drainOf({ times: 3, notBeforeMs: 1, blocks: 2, behindSeq: op.seq + 1 });
    expect(stepAfter(drain, { op, outcome })).toBe('go_on');
    expect(drain.trouble.votes).toEqual({ times: 0, behindSeq: op.seq + 1, notBeforeMs: 0, blocks: 0 });
  });

  test('to the op that all others came before puts it back in its place', () => {
    const drain = drainOf({ behindSeq: op.seq });
    stepAfter(drain, { op, outcome: refused });
    expect(drain.trouble.votes.behindSeq).toBe(0);
  });
});

describe('a refusal of the session', () => {
  test('pauses the lane for a second at least, then for longer', () => {
    const drain = drainOf({ times: 2, behindSeq: 9 });
    const pauses = [1, 2, 3, 4].map(() => {
      expect(stepAfter(drain, { op, outcome: { kind: 'blocked_auth' } })).toBe('blocked');
      return drain.trouble.votes.notBeforeMs - device.clock.now();
    });
    expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000]);
    expect(drain.trouble.votes).toMatchObject({ times: 2, behindSeq: 9, blocks: 4 });
  });

  test('pauses the lane though chance says that it should not', () => {
    const drain = drainOf({}, 0);
    stepAfter(drain, { op, outcome: { kind: 'blocked_auth' } });
    expect(drain.trouble.votes.notBeforeMs - device.clock.now()).toBe(1_000);
  });
});

test('a refusal of a poll that this version does not know is no failed upload', async () => {
  await device.db.ops.clear();
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: 'tab-1:a' });
  const [creation] = await device.db.ops.toArray();
  if (creation === undefined) throw new Error('no op');
  const error = { status: 403, code: 'unknown', message: '' } as const;
  await settle({ ...drainOf(), lane: 'creations' }, [{ op: creation, outcome: { kind: 'unclear', error } }]);
  expect(await device.db.ops.toArray()).toMatchObject([{ refusals: 1, failedUploads: 0 }]);
});
