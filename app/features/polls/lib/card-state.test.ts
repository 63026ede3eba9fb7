import { describe, expect, test } from 'vitest';
import { captionOf } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { HOUR_MS } from '#shared/time.ts';
import type { PollView } from '#sync/operations/operation.ts';
import type { VoteOp } from '#sync/operations/registry.ts';
import type { OpState } from '#sync/protocol/op.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { cardStateOf, isResponseExpected, looksTheSame, refusedVoteOf, voteChangeOf } from './card-state.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const POLL = samplePoll();

function voteOp(state: OpState, changes: Partial<VoteOp> = {}): VoteOp {
  return {
    seq: 1,
    opId: '019a0000-0000-7000-8000-0000000000aa',
    userId: 100,
    schemaVersion: 1,
    entityId: POLL.id,
    state,
    attempts: 0,
    nextAttemptAt: 0,
    leaseOwner: null,
    leaseUntil: 0,
    lastError: null,
    createdAt: NOW_MS,
    type: 'vote',
    payload: { pollId: POLL.id, option: 1 },
    ...changes,
  };
}

function view(changes: Partial<PollView> = {}, pollChanges: Partial<Poll> = {}): PollView {
  return { poll: { ...POLL, ...pollChanges }, vote: null, voteOp: null, createOp: null, ...changes };
}

const CONTEXT = { tapped: null, isChanging: false, isVoteWaiting: false };
const WAITING = { ...CONTEXT, isVoteWaiting: true };

describe('the card of a poll', () => {
  test('has vote buttons if the poll is open and was made by another user', () => {
    expect(cardStateOf(view(), CONTEXT)).toEqual({ kind: 'open' });
    // An administrator has both the results and the vote buttons.
    expect(cardStateOf(view({}, { results: { option1: 2, option2: 1 } }), CONTEXT)).toEqual({ kind: 'open' });
  });

  test('shows a tapped option as being sent until the vote is stored, even if the vote before it is waiting', () => {
    expect(cardStateOf(view(), { ...CONTEXT, tapped: 2 })).toEqual({ kind: 'sending', vote: 2 });
    const waiting = view({ vote: 1, voteOp: voteOp('queued') });
    expect(cardStateOf(waiting, { ...WAITING, tapped: 2 })).toEqual({ kind: 'sending', vote: 2 });
  });

  test('shows a stored vote as being sent, then as waiting', () => {
    const voted = view({ vote: 1, voteOp: voteOp('sending') });
    expect(cardStateOf(voted, CONTEXT)).toEqual({ kind: 'sending', vote: 1 });
    expect(cardStateOf(voted, WAITING)).toEqual({ kind: 'waiting', vote: 1 });
  });

  test('shows a vote in the state `needs_attention` as not sent', () => {
    expect(cardStateOf(view({ vote: 1, voteOp: voteOp('needs_attention') }), CONTEXT).kind).toBe('unsent');
  });

  test('shows percentages that add up to 100 after a confirmed vote', () => {
    const cardState = cardStateOf(view({ vote: 1 }, { results: { option1: 2, option2: 1 } }), CONTEXT);
    expect(cardState).toEqual({ kind: 'results', vote: 1, share: 2 / 3, percent: { 1: 67, 2: 33 } });
  });

  test('shows neither a chosen option nor vote buttons after a refused vote', () => {
    const refused = view({ voteOp: voteOp('rejected') });
    expect(cardStateOf(refused, CONTEXT)).toEqual({ kind: 'closed' });
    const closed = view({ voteOp: voteOp('rejected') }, { results: { option1: 1, option2: 0 } });
    expect(cardStateOf(closed, CONTEXT)).toMatchObject({ kind: 'results', vote: null });
  });

  test('has no vote buttons for the user’s own polls and for closed polls', () => {
    expect(cardStateOf(view({}, { isMine: true }), CONTEXT).kind).toBe('closed');
    expect(cardStateOf(view({}, { status: 'expired' }), CONTEXT).kind).toBe('closed');
    expect(cardStateOf(view({}, { isMine: true, results: { option1: 0, option2: 0 } }), CONTEXT).kind).toBe(
      'closed',
    );
  });
});

describe('the response to an op', () => {
  test('is expected for a second after the op was created', () => {
    expect(isResponseExpected(voteOp('sending'), NOW_MS + 999, true)).toBe(true);
    expect(isResponseExpected(voteOp('sending'), NOW_MS + 1_000, true)).toBe(false);
  });

  test('is not expected if offline, logged out or after a failed attempt', () => {
    const lastError = { status: 503, code: 'unavailable', message: '' } as const;
    expect(isResponseExpected(voteOp('queued'), NOW_MS, false)).toBe(false);
    expect(isResponseExpected(voteOp('blocked_auth'), NOW_MS, true)).toBe(false);
    expect(isResponseExpected(voteOp('queued', { lastError }), NOW_MS, true)).toBe(false);
    // An attempt without a response leaves no error. The clock has been set back by an hour since the vote.
    expect(isResponseExpected(voteOp('queued', { attempts: 1 }), NOW_MS - HOUR_MS, true)).toBe(false);
  });
});

describe('the change of a vote', () => {
  const results = { option1: 2, option2: 1 };
  const viewOfVoted = (changesLeft?: number, poll: Partial<Poll> = {}) =>
    view({ vote: 1 }, { results, votes: [{ option: 1, changesLeft }], ...poll });
  const changeFor = (pollView: PollView, context = CONTEXT) =>
    voteChangeOf(pollView, cardStateOf(pollView, context));
  const changeOp = (state: OpState) => ({ ...voteOp(state), type: 'changeVote' });

  test('is offered while the poll is open and changes are left', () => {
    expect(changeFor(viewOfVoted(5))).toEqual({ kind: 'offered' });
    expect(changeFor(viewOfVoted(0))).toBeNull();
    expect(changeFor(viewOfVoted(5, { status: 'expired' }))).toBeNull();
    expect(changeFor(view({}, { results, isMine: true }))).toBeNull();
    expect(changeFor(view())).toBeNull();
  });

  test('is not offered on a server without vote changes', () => {
    expect(changeFor(viewOfVoted(undefined))).toBeNull();
  });

  test('is offered while a vote waits, even if it may have been sent', () => {
    const waiting = view({ vote: 1, voteOp: voteOp('queued', { firstLeasedAt: null }) });
    expect(changeFor(waiting, WAITING)).toEqual({ kind: 'offered' });
    const sentOnce = view({
      vote: 1,
      voteOp: voteOp('queued', { firstLeasedAt: NOW_MS, leaseUntil: NOW_MS }),
    });
    expect(changeFor(sentOnce, WAITING)).toEqual({ kind: 'offered' });
    expect(changeFor({ ...sentOnce, poll: { ...POLL, status: 'expired' } }, WAITING)).toBeNull();
  });

  test('shows the vote buttons until it is made or the poll is closed', () => {
    expect(cardStateOf(viewOfVoted(5), { ...CONTEXT, isChanging: true })).toEqual({
      kind: 'changing',
      vote: 1,
    });
    expect(changeFor(viewOfVoted(5), { ...CONTEXT, isChanging: true })).toEqual({ kind: 'open' });
    const closed = viewOfVoted(5, { status: 'expired' });
    expect(cardStateOf(closed, { ...CONTEXT, isChanging: true }).kind).toBe('results');
    expect(cardStateOf(viewOfVoted(5), { ...CONTEXT, isChanging: true, tapped: 2 })).toEqual({
      kind: 'sending',
      vote: 2,
    });
  });

  test('shows the previous vote while it waits, and can be taken back until it may have been sent', () => {
    const waitingFor = (changes: Partial<VoteOp>) =>
      changeFor({ ...viewOfVoted(5), vote: 2, voteOp: { ...changeOp('queued'), ...changes } }, WAITING);
    expect(waitingFor({ firstLeasedAt: null })).toEqual({
      kind: 'waiting',
      previousVote: 1,
      isOffered: true,
    });
    expect(waitingFor({ firstLeasedAt: NOW_MS })).toEqual({
      kind: 'waiting',
      previousVote: 1,
      isOffered: false,
    });
  });

  test('is offered again after a refusal', () => {
    expect(changeFor({ ...viewOfVoted(5), voteOp: changeOp('rejected') })).toEqual({ kind: 'offered' });
  });
});

test('a missing caption is replaced by the name of the option', () => {
  const poll = samplePoll({ option1Caption: 'Coffee', option2Caption: null });
  expect(captionOf(poll, 1)).toBe('Coffee');
  expect(captionOf(poll, 2)).toBe('Option B');
});

test('a card is rendered again when its vote count, its vote or the state of its op changes', () => {
  expect(looksTheSame(view(), view())).toBe(true);
  expect(looksTheSame(view(), view({}, { votesCount: POLL.votesCount + 1 }))).toBe(false);
  expect(looksTheSame(view(), view({ vote: 2 }))).toBe(false);
  expect(looksTheSame(view({ voteOp: voteOp('queued') }), view({ voteOp: voteOp('rejected') }))).toBe(false);
});

test('a refused vote has a notice, a waiting vote has none', () => {
  const noticeOf = (op: VoteOp) => {
    const voted = view({ vote: 1, voteOp: op });
    return refusedVoteOf(voted, cardStateOf(voted, CONTEXT));
  };
  for (const state of ['rejected', 'needs_attention'] as const) {
    const op = voteOp(state);
    expect(noticeOf(op)).toBe(op);
  }
  expect(noticeOf(voteOp('queued'))).toBeNull();
});
