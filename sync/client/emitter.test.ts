import { expect, test, vi } from 'vitest';
import type { Op } from '#sync/operations/registry.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import { OTHER_POLL_ID, POLL_ID } from '#sync/testing/samples.ts';
import { createEmitter } from './emitter.ts';

async function queuedOps(): Promise<[Op, Op]> {
  const { db, voteOn } = await drainHarness();
  await voteOn(POLL_ID);
  await voteOn(OTHER_POLL_ID);
  const [firstOp, secondOp] = await db.ops.toArray();
  if (firstOp === undefined || secondOp === undefined) throw new Error('expected two ops');
  return [firstOp, secondOp];
}

test('a `delayed` event is emitted once for each op, other events every time', async () => {
  const [op, otherOp] = await queuedOps();
  const { emit, onEvent } = createEmitter();
  const listener = vi.fn();
  onEvent(listener);
  emit({ type: 'delayed', op });
  emit({ type: 'delayed', op });
  emit({ type: 'delayed', op: otherOp });
  emit({ type: 'applied', op, poll: null, isNew: true });
  emit({ type: 'applied', op, poll: null, isNew: true });
  expect(listener.mock.calls.map(([event]) => [event.type, event.op.opId])).toEqual([
    ['delayed', op.opId],
    ['delayed', otherOp.opId],
    ['applied', op.opId],
    ['applied', op.opId],
  ]);
});

test('a listener is not called after it has unsubscribed', async () => {
  const [op] = await queuedOps();
  const { emit, onEvent } = createEmitter();
  const [firstListener, secondListener] = [vi.fn(), vi.fn()];
  const unsubscribe = onEvent(firstListener);
  onEvent(secondListener);
  unsubscribe();
  emit({ type: 'delayed', op });
  expect(firstListener).not.toHaveBeenCalled();
  expect(secondListener).toHaveBeenCalledTimes(1);
});
