import { beforeEach, describe, expect, test, vi } from 'vitest';
import { StorageFullError, withFreedSpace } from '#sync/client/cache/storage.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import type { Op } from '#sync/operations/registry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { errorResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { OTHER_POLL_ID, POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

const throwQuotaError = () => {
  throw Object.assign(new Error('full'), { name: 'QuotaExceededError' });
};

describe('on a full device', () => {
  beforeEach(() => device.db.polls.hook('creating', throwQuotaError));

  test('a refused op keeps its reason when it is settled together with an acknowledged op', async () => {
    for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
    const accept = device.applied();
    const reject = errorResponse('poll_closed');
    const { transport } = scriptedTransport((request) =>
      (request.path.includes(POLL_ID) ? accept : reject)(request),
    );
    await drainLane(device.context(transport), 'votes');
    expect(await device.db.ops.toArray()).toMatchObject([
      { entityId: OTHER_POLL_ID, state: 'rejected', lastError: { code: 'poll_closed' } },
    ]);
    expect(device.events.map(({ type, op }) => [type, op.entityId])).toEqual([
      ['applied', POLL_ID],
      ['rejected', OTHER_POLL_ID],
    ]);
  });

  test('the event of an acknowledged op contains no poll, so that the poll is fetched', async () => {
    await device.voteOn(POLL_ID);
    await drainLane(device.context(scriptedTransport(device.applied()).transport), 'votes');
    expect(device.events).toMatchObject([{ type: 'applied', poll: null }]);
  });

  test('refused ops and their images are not deleted to free space', async () => {
    const refusedPollId = await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
    const lastError: Op['lastError'] = { status: 402, code: 'insufficient_points', message: '' };
    await device.db.ops.toCollection().modify({ state: 'rejected', lastError });
    await device.voteOn(POLL_ID);
    const { transport } = scriptedTransport(device.applied());
    await drainLane(device.context(transport), 'votes');
    expect(await device.db.ops.toArray()).toMatchObject([
      { entityId: refusedPollId, state: 'rejected', lastError },
    ]);
    expect(await device.db.opBlobs.count()).toBe(2);
  });

  test('a new change without space removes no refused op', async () => {
    await device.voteOn(POLL_ID);
    await device.db.ops.toCollection().modify({ state: 'needs_attention' });
    const storing = withFreedSpace(fakeBrowser.storage, device.db, async () => throwQuotaError());
    await expect(storing).rejects.toThrow(StorageFullError);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
  });

  test('acknowledged ops are deleted before anything else', async () => {
    await device.voteOn(POLL_ID);
    const [op] = await device.db.ops.toArray();
    if (op === undefined) throw new Error('no op');
    await device.db.acknowledged.put({ opId: op.opId, acknowledgedAt: 1, op, blobs: [] });
    const store = vi.fn(async () => {
      if ((await device.db.acknowledged.count()) > 0) throwQuotaError();
      return 'stored';
    });
    const dropImages = vi.fn(async () => {});
    expect(await withFreedSpace({ dropImages }, device.db, store)).toBe('stored');
    expect(store).toHaveBeenCalledTimes(2);
    expect(dropImages).not.toHaveBeenCalled();
  });
});

test('cached images are deleted if there is no space to lease an op', async () => {
  await device.voteOn(POLL_ID);
  let isFull = true;
  device.db.ops.hook('updating', (changes) =>
    'leaseOwner' in changes && isFull ? throwQuotaError() : undefined,
  );
  const dropImages = vi.fn(async () => {
    isFull = false;
  });
  const { transport, sent } = scriptedTransport(device.applied());
  await drainLane(device.context(transport, { storage: { dropImages } }), 'votes');
  expect(dropImages).toHaveBeenCalledOnce();
  expect(sent).toHaveLength(1);
});
