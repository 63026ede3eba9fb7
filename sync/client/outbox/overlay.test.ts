import { describe, expect, test } from 'vitest';
import type { CreatePollOp, Op, VoteOp } from '#sync/operations/registry.ts';
import { OTHER_POLL_ID, POLL_ID, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { overlayPoints, overlayPoll, viewOfNewPoll } from './overlay.ts';

const NOW_MS = Date.parse('2023-11-15T00:00:00Z');

const opFields = {
  seq: 1,
  opId: 'op-1',
  userId: 100,
  schemaVersion: 1,
  entityId: POLL_ID,
  state: 'queued' as const,
  attempts: 0,
  nextAttemptAt: 0,
  leaseOwner: null,
  leaseUntil: 0,
  lastError: null,
  createdAt: 0,
};
const vote = (changes: Partial<VoteOp> = {}): VoteOp => ({
  ...opFields,
  type: 'vote',
  payload: { pollId: POLL_ID, option: 2 },
  ...changes,
});
const creation = (responsesWanted: number, changes: Partial<CreatePollOp> = {}): CreatePollOp => ({
  ...opFields,
  type: 'createPoll',
  payload: {
    pollId: POLL_ID,
    question: 'Sand or summit?',
    option1Caption: '',
    option2Caption: '',
    durationDays: 3,
    responsesWanted,
  },
  ...changes,
});

describe('a cached poll', () => {
  test('shows a waiting vote but does not count it', () => {
    const op = vote();
    const view = overlayPoll(samplePoll(), [op], NOW_MS);
    expect(view).toMatchObject({ vote: 2, voteOp: op });
    expect(view.poll.votesCount).toBe(12);
  });

  test('shows no refused vote, but contains its op', () => {
    const op = vote({ state: 'rejected', lastError: { status: 409, code: 'poll_closed', message: '' } });
    const view = overlayPoll(samplePoll(), [op], NOW_MS);
    expect(view.vote).toBeNull();
    expect(view.voteOp).toBe(op);
  });

  test('shows the confirmed vote if a waiting vote differs', () => {
    const view = overlayPoll(samplePoll({ votes: [{ option: 1 }] }), [vote()], NOW_MS);
    expect(view.vote).toBe(1);
    expect(view.voteOp).toBeNull();
  });

  test('shows the confirmed vote if no op waits', () => {
    const poll = samplePoll({ votes: [{ option: 1 }] });
    expect(overlayPoll(poll, [], NOW_MS)).toMatchObject({ vote: 1, voteOp: null });
  });

  test('shows the confirmed vote and contains the op of a refused vote', () => {
    const op = vote({ state: 'rejected' });
    const view = overlayPoll(samplePoll({ votes: [{ option: 1 }] }), [op], NOW_MS);
    expect(view).toMatchObject({ vote: 1, voteOp: op });
  });

  test('is not affected by ops about another poll or by its own creation', () => {
    const ops = [creation(12), vote({ entityId: OTHER_POLL_ID })];
    expect(overlayPoll(samplePoll(), ops, NOW_MS)).toEqual({
      poll: samplePoll(),
      vote: null,
      voteOp: null,
      createOp: null,
    });
  });

  test('is expired as soon as its end has passed by the server’s clock', () => {
    const endMs = Date.parse('2023-11-17T20:00:00Z');
    expect(overlayPoll(samplePoll(), [], endMs - 1).poll.status).toBe('active');
    expect(overlayPoll(samplePoll(), [], endMs).poll.status).toBe('expired');
    const completed = samplePoll({ status: 'completed', responsesWanted: 12 });
    expect(overlayPoll(completed, [], endMs - 1).poll.status).toBe('completed');
    expect(overlayPoll(completed, [], endMs).poll.status).toBe('expired');
    // The status of a poll that an administrator has deactivated, or that this version does not know, remains.
    expect(overlayPoll(samplePoll({ status: 'inactive' }), [], endMs).poll.status).toBe('inactive');
  });
});

test('a waiting poll is shown with the entered texts, but without images and results', () => {
  const op = creation(12, { createdAt: NOW_MS });
  const payload = { ...op.payload, option1Caption: ' Sand ', option2Caption: '  ' };
  const { shareUrl: _, ...pollWithoutLink } = samplePoll();
  expect(viewOfNewPoll({ ...op, payload }, sampleUser())).toEqual({
    poll: {
      ...pollWithoutLink,
      question: 'Sand or summit?',
      user: { username: 'nina.k' },
      option1Image: '',
      option2Image: '',
      option1Caption: 'Sand',
      option2Caption: null,
      option1Size: null,
      option2Size: null,
      votesCount: 0,
      createdAt: '2023-11-15T00:00:00.000Z',
      closesAt: '2023-11-18T00:00:00.000Z',
      responsesWanted: 12,
      isMine: true,
      rev: 0,
    },
    vote: null,
    voteOp: null,
    createOp: { ...op, payload },
  });
});

describe('the points of a user', () => {
  const user = sampleUser({ points: 30 });

  test('include pending costs, but pending earnings cannot be spent yet', () => {
    const ops: Op[] = [vote(), vote({ opId: 'op-2' }), creation(12)];
    expect(overlayPoints(user, ops)).toEqual({
      confirmed: 30,
      pendingEarned: 2,
      pendingSpent: 12,
      spendable: 18,
    });
  });

  test('never have a negative spendable part', () => {
    expect(overlayPoints(user, [creation(40)])).toMatchObject({ pendingSpent: 40, spendable: 0 });
  });

  test('do not include ops unknown to this version', () => {
    const ops: Op[] = [vote({ schemaVersion: 2 }), creation(12, { schemaVersion: 2 })];
    expect(overlayPoints(user, ops)).toMatchObject({ pendingEarned: 0, pendingSpent: 0, spendable: 30 });
  });

  test('do not include refused ops', () => {
    const ops: Op[] = [vote({ state: 'rejected' }), creation(12, { state: 'rejected' })];
    expect(overlayPoints(user, ops)).toMatchObject({ pendingEarned: 0, pendingSpent: 0, spendable: 30 });
  });
});
