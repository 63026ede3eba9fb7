import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test, vi } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { samplePoll } from '#sync/testing/samples.ts';

// The module calls `matchMedia` when it is loaded.
vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
const { PollDetail } = await import('./poll-detail.tsx');

const CREATE_OP: NonNullable<PollView['createOp']> = {
  type: 'createPoll',
  payload: {},
  seq: 1,
  opId: 'op-1',
  userId: 100,
  schemaVersion: 1,
  entityId: samplePoll().id,
  state: 'queued',
  attempts: 0,
  nextAttemptAt: 0,
  leaseOwner: null,
  leaseUntil: 0,
  lastError: null,
  createdAt: 0,
};

function renderDetail(createOp: PollView['createOp'], changes: Partial<Poll> = {}): string {
  const poll = samplePoll({ isMine: true, ...changes });
  const view: PollView = { poll, vote: null, voteOp: null, createOp };
  return renderToStaticMarkup(
    <MemoryRouter>
      <PollDetail view={view} nowMs={0} />
    </MemoryRouter>,
  );
}

test('a poll has a Share button only once the server has it', () => {
  expect(renderDetail(null)).toContain('aria-label="Share"');
  expect(renderDetail(CREATE_OP)).not.toContain('aria-label="Share"');
  // This attribute also hides the Share button in the header on a phone.
  expect(renderDetail(CREATE_OP)).toContain('data-poll-unshared');
  expect(renderDetail(null)).not.toContain('data-poll-unshared');
});

test('a sample poll is marked as such for its maker, but not for other users', () => {
  const mark = '>Sample<';
  expect(renderDetail(null, { isSample: true })).toContain(mark);
  expect(renderDetail(null)).not.toContain(mark);
  expect(renderDetail(null, { isSample: true, isMine: false })).not.toContain(mark);
});
