import { beforeEach, expect, test, vi } from 'vitest';
import type { PendingVote } from '#app/lib/sharing/pending-vote.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { samplePoll } from '#sync/testing/samples.ts';

const queueVote = vi.fn(async (..._vote: unknown[]) => true);
const refreshPoll = vi.fn(async (_id: string): Promise<string> => 'updated');
const SERVER_NOW_MS = 1_000;
const readPoll = vi.fn(async (..._args: unknown[]): Promise<PollView | null> => null);
const showToast = vi.fn();
const dropPendingVote = vi.fn();
vi.mock('#app/features/polls/actions.ts', () => ({ queueVote, refreshPoll }));
vi.mock('#sync/client/cache/reads.ts', () => ({ readPoll }));
vi.mock('#app/lib/toasts.ts', () => ({ showToast }));
vi.mock('#app/lib/engine/engine.ts', () => ({
  sessionState: { get: () => ({ status: 'user', db: {} }) },
  loadEngine: async () => ({ serverNow: () => SERVER_NOW_MS }),
}));
vi.mock('#app/lib/sharing/pending-vote.ts', () => ({ dropPendingVote, slugOf: String }));
const { castPendingVote } = await import('./share-links.ts');

const poll = samplePoll({ option1Caption: 'Beach' });
const PENDING = { poll, option: 2, chosenAtMs: 0 } as unknown as PendingVote;

function view(changes: Partial<PollView> & { poll?: PollView['poll'] } = {}): PollView {
  return { poll, vote: null, voteOp: null, createOp: null, ...changes };
}

beforeEach(() => {
  vi.clearAllMocks();
  refreshPoll.mockResolvedValue('updated');
  readPoll.mockResolvedValue(view());
  queueVote.mockResolvedValue(true);
});

test('a valid pending vote is queued once, even if it is cast twice at the same time', async () => {
  await Promise.all([castPendingVote(PENDING), castPendingVote(PENDING)]);
  expect(queueVote).toHaveBeenCalledExactlyOnceWith('vote', poll.id, 2);
  expect(dropPendingVote).toHaveBeenCalledTimes(1);
});

test('whether the poll of a pending vote is open depends on the time of the server', async () => {
  await castPendingVote(PENDING);
  expect(readPoll).toHaveBeenCalledExactlyOnceWith({}, poll.id, SERVER_NOW_MS);
});

test.each([
  ['on the user’s own poll', { poll: samplePoll({ isMine: true }) }, 'This is your own poll'],
  ['on a poll with another vote of the user', { vote: 1 as const }, 'You had already voted'],
  [
    'on a closed poll',
    { poll: samplePoll({ status: 'completed' }) },
    'The poll closed before your vote counted',
  ],
])('a pending vote %s shows a toast and is not queued', async (_case, changes, title) => {
  readPoll.mockResolvedValue(view(changes));
  await castPendingVote(PENDING);
  expect(showToast.mock.calls[0]?.[1]).toBe(title);
  expect(queueVote).not.toHaveBeenCalled();
  expect(dropPendingVote).toHaveBeenCalledTimes(1);
});

test('a pending vote that was cast before shows no toast', async () => {
  readPoll.mockResolvedValue(view({ vote: 2 }));
  await castPendingVote(PENDING);
  expect(showToast).not.toHaveBeenCalled();
  expect(queueVote).not.toHaveBeenCalled();
  expect(dropPendingVote).toHaveBeenCalledTimes(1);
});

test('a pending vote on a missing poll is dropped', async () => {
  refreshPoll.mockResolvedValue('gone');
  await castPendingVote(PENDING);
  expect(showToast.mock.calls[0]?.[1]).toBe('This poll is gone');
  expect(queueVote).not.toHaveBeenCalled();
  expect(dropPendingVote).toHaveBeenCalledTimes(1);
});

test.each([
  ['a poll that is not on this device', null],
  ['a poll that was closed when this device last read it', view({ poll: samplePoll({ status: 'expired' }) })],
])('while the server is unreachable, a pending vote on %s is queued', async (_case, cached) => {
  refreshPoll.mockResolvedValue('unreachable');
  readPoll.mockResolvedValue(cached);
  await castPendingVote(PENDING);
  expect(queueVote).toHaveBeenCalledTimes(1);
});

test('a vote that this device could not store remains pending', async () => {
  queueVote.mockResolvedValue(false);
  await castPendingVote(PENDING);
  expect(dropPendingVote).not.toHaveBeenCalled();
});
