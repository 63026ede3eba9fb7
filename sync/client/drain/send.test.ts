import { beforeEach, describe, expect, test } from 'vitest';
import { localLock } from '#sync/client/device/lock.ts';
import { sendLockName } from '#sync/client/outbox/lease.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Op } from '#sync/operations/registry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { errorResponse, noResponse, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import type { Drain } from './drain-context.ts';
import { sendLocked } from './send.ts';

const OWNER = 'tab-1:a';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

function drainOf(reply: Reply, changes: Partial<Drain> = {}) {
  const { transport, sent } = scriptedTransport(reply);
  const drain: Drain = { ...device.context(transport), owner: OWNER, lane: 'votes', ...changes };
  return { drain, sent };
}

/** The only op of the queue, leased to this drain. */
async function leasedOp(changes: Partial<Op> = {}): Promise<Op> {
  await device.db.ops.toCollection().modify({ state: 'sending', leaseOwner: OWNER, ...changes });
  const [op] = await device.db.ops.toArray();
  if (op === undefined) throw new Error('no op');
  return op;
}

test('an op is sent with its key, user and epoch', async () => {
  await device.voteOn(POLL_ID);
  const op = await leasedOp();
  const { drain, sent } = drainOf(noResponse);
  await sendLocked(drain, op, 'epoch-1');
  await sendLocked(drain, op, undefined);
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'Idempotency-Key': op.opId,
    'X-Expected-User': String(device.userId),
  };
  expect(sent.map((request) => request.headers)).toEqual([
    { ...headers, 'X-Expected-Epoch': 'epoch-1' },
    headers,
  ]);
});

describe('the images of a poll', () => {
  beforeEach(() => queuePoll(device.db, device.userId, sampleDraft(), device.clock.now()));

  test('prevent sending if one of them is missing', async () => {
    const op = await leasedOp();
    await device.db.opBlobs.filter(({ slot }) => slot === 2).delete();
    const { drain, sent } = drainOf(noResponse);
    expect(await sendLocked(drain, op, undefined)).toEqual({
      kind: 'unclear',
      error: {
        status: 0,
        code: 'unknown',
        message: 'The data stored on this device can no longer be read.',
      },
    });
    expect(sent).toHaveLength(0);
  });

  test('are sent in order, in a form', async () => {
    const op = await leasedOp();
    const { drain, sent } = drainOf(noResponse);
    await sendLocked(drain, op, undefined);
    expect(sent[0]?.headers).not.toHaveProperty('Content-Type');
    const form = sent[0]?.body as FormData;
    expect([...form.keys()].slice(-2)).toEqual(['option1Image', 'option2Image']);
  });
});

describe('an op whose lock another tab holds', () => {
  const countSentRequests = async (changes: Partial<Op>) => {
    await device.voteOn(POLL_ID);
    const op = await leasedOp(changes);
    const lock = localLock();
    const { drain, sent } = drainOf(noResponse, { lock });
    await lock.run(sendLockName(op.opId), async () => {
      await sendLocked(drain, op, undefined);
    });
    return sent.length;
  };

  test('is not sent, since the other tab may be discarding it', async () =>
    expect(await countSentRequests({})).toBe(0));
  test('is sent if it was taken over from a suspended tab', async () =>
    expect(await countSentRequests({ wasTakenOver: true })).toBe(1));
});

describe('an attempt', () => {
  const outcomeAfter = async (tookMs: number, reply: Reply) => {
    await device.voteOn(POLL_ID);
    const op = await leasedOp();
    const { drain } = drainOf((request) => {
      device.clock.advance(tookMs);
      return reply(request);
    });
    return sendLocked(drain, op, undefined);
  };

  test('counts as a failed upload if there was no response for ten seconds', async () =>
    expect(await outcomeAfter(10_000, noResponse)).toMatchObject({ kind: 'retry', isFailedUpload: true }));
  test('does not count as a failed upload if it failed earlier', async () =>
    expect(await outcomeAfter(9_999, noResponse)).toMatchObject({ kind: 'retry', isFailedUpload: false }));
  test('does not count as a failed upload if the server responded, even after a minute', async () =>
    expect(await outcomeAfter(60_000, errorResponse('poll_closed'))).toMatchObject({ kind: 'rejected' }));
});
