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

  /** Drains a vote on each of two polls; the server accepts the first vote and refuses the second. */
  const drainTwoVotes = async () => {
    for (const id of [POLL_ID, OTHER_POLL_ID]) await device.voteOn(id);
    const accept = device.applied();
    const reject = errorResponse('poll_closed');
    const { transport } = scriptedTransport((request) =>
      request.path.includes(POLL_ID) ? accept(request) : reject(request),
    );
    await drainLane(device.context(transport), 'votes');
  };

  test('a refused op keeps its reason when it is settled together with an acknowledged op', async () => {
    await drainTwoVotes();
    expect(await device.db.ops.toArray()).toMatchObject([
      { entityId: OTHER_POLL_ID, state: 'rejected', lastError: { code: 'poll_closed' } },
    ]);
    expect(device.events.map(({ type, op }) => [type, op.entityId])).toEqual([
      ['applied', POLL_ID],
      ['rejected', OTHER_POLL_ID],
    ]);
  });

  test('a refused op does not keep an acknowledged op in the queue', async () => {
    // Nothing that needs more space can be stored, not even the reason of a refusal.
    device.db.ops.hook('updating', (changes) => ('lastError' in changes ? throwQuotaError() : undefined));
    await drainTwoVotes();
    expect(await device.db.ops.toArray()).toMatchObject([{ entityId: OTHER_POLL_ID, state: 'sending' }]);
    expect(device.events).toMatchObject([{ type: 'applied', op: { entityId: POLL_ID } }]);
  });

  test('an acknowledged op leaves the queue, and its event contains no poll, so that the poll is fetched', async () => {
    await device.voteOn(POLL_ID);
    const { transport, sent } = scriptedTransport(device.applied());
    expect(await drainLane(device.context(transport), 'votes')).toBeNull();
    expect(sent).toHaveLength(1);
    expect(await device.db.ops.count()).toBe(0);
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

  test('a new change for which there is no space removes no refused op', async () => {
    await device.voteOn(POLL_ID);
    await device.db.ops.toCollection().modify({ state: 'needs_attention' });
    const storing = withFreedSpace(fakeBrowser.storage, device.db, async () => throwQuotaError());
    await expect(storing).rejects.toThrow(StorageFullError);
    expect(await device.db.ops.toArray()).toMatchObject([{ state: 'needs_attention' }]);
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
