import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { VoteOp } from '#sync/operations/registry.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { WaitingRow } from './outbox-row.tsx';

function renderRow(failedUploads: number): string {
  const poll = samplePoll();
  const op = {
    type: 'vote',
    schemaVersion: 1,
    opId: '019a0000-0000-7000-8000-0000000000aa',
    state: 'queued',
    entityId: poll.id,
    payload: { pollId: poll.id, option: 1 },
    lastError: null,
    failedUploads,
  } as Partial<VoteOp> as VoteOp;
  return renderToStaticMarkup(<WaitingRow item={{ op, poll }} thumbnail={null} />);
}

test('the title leaves space for the Discard button in the corner, which the row of a change that keeps failing does not have', () => {
  expect(renderRow(0)).toMatch(/<h3 class="[^"]*pr-9/);
  expect(renderRow(5)).not.toMatch(/<h3 class="[^"]*pr-9/);
});
