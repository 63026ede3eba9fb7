import { expect, test } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { DeckView } from '#sync/client/cache/deck-reads.ts';
import type { PollView } from '#sync/operations/operation.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { canChangeVote, dealCards, NEW_PASS, type Pass, pollIdsOf, withoutStep, withStep } from './pass.ts';

function card(id: string, changes: Partial<Poll> = {}): PollView {
  const poll = samplePoll({ id, ...changes });
  return { poll, vote: poll.votes[0]?.option ?? null, voteOp: null, createOp: null };
}

const votedPoll = (id: string, changes: Partial<Poll> = {}) =>
  card(id, { votes: [{ option: 1, changesLeft: 5 }], results: { option1: 2, option2: 1 }, ...changes });
const deck = (open: PollView[], requested: PollView[] = []): DeckView => ({
  open,
  hidden: [],
  requested,
  meta: null,
});
const idsOf = (view: DeckView, pass: Pass) => dealCards(view, pass).cards.map(({ poll }) => poll.id);

const skipA = { pollId: 'a', direction: 'down' } as const;
const voteB = { pollId: 'b', direction: 'left' } as const;

test('a skipped card appears again only in the next pass', () => {
  const view = deck([card('a'), card('b')]);
  const pass = withStep(NEW_PASS, skipA);
  expect(idsOf(view, pass)).toEqual(['b']);
  expect(dealCards(view, pass).skippedCount).toBe(1);
  expect(idsOf(view, NEW_PASS)).toEqual(['a', 'b']);
});

test('the card that is being voted on remains in front until its step is recorded', () => {
  const view = deck([card('b')], [votedPoll('a')]);
  const pass = { ...NEW_PASS, held: 'a' };
  expect(pollIdsOf(pass)).toEqual(['a']);
  expect(idsOf(view, pass)).toEqual(['a', 'b']);
  expect(idsOf(view, withStep(pass, { pollId: 'a', direction: 'left' }))).toEqual(['b']);
});

test('Undo brings the cards back one by one, the latest first', () => {
  const view = deck([card('a'), card('c')], [votedPoll('b')]);
  const pass = withStep(withStep(NEW_PASS, skipA), voteB);
  expect(pollIdsOf(pass)).toEqual(['a', 'b']);
  expect(dealCards(view, pass).undoable?.step).toEqual(voteB);
  const afterOneUndo = withoutStep(pass, voteB);
  expect(idsOf(view, afterOneUndo)).toEqual(['b', 'c']);
  const afterTwoUndos = withoutStep(afterOneUndo, skipA);
  expect(idsOf(view, afterTwoUndos)).toEqual(['a', 'c']);
  expect(dealCards(view, afterTwoUndos).undoable).toBeNull();
});

test('a poll that is missing, hidden, or closed without a vote neither remains in front nor can be brought back', () => {
  const hidden: PollView = { ...card('b'), hidden: { reason: 'spam', username: undefined, op: null } };
  const closed = card('b', { status: 'completed' });
  for (const requested of [[], [hidden], [closed]]) {
    const view = deck([card('c')], requested);
    expect(idsOf(view, { ...NEW_PASS, held: 'b' })).toEqual(['c']);
    expect(dealCards(view, withStep(NEW_PASS, voteB)).undoable).toBeNull();
  }
});

test('a poll that closes without a vote remains in front while its card has an open dialog, unless it is hidden', () => {
  const closed = card('b', { status: 'completed' });
  const pass = { ...NEW_PASS, held: 'b', hasDialog: true };
  expect(idsOf(deck([card('c')], [closed]), pass)).toEqual(['b', 'c']);
  const hidden: PollView = { ...closed, hidden: { reason: 'spam', username: undefined, op: null } };
  expect(idsOf(deck([card('c')], [hidden]), pass)).toEqual(['c']);
});

test('the dialog of one card keeps no other card: neither the next one nor one that Undo brings back', () => {
  const pass = { ...NEW_PASS, held: 'a', hasDialog: true };
  const next = withStep(pass, skipA);
  expect(next).toMatchObject({ held: null, hasDialog: false });
  expect(withoutStep({ ...next, hasDialog: true }, skipA)).toMatchObject({ held: 'a', hasDialog: false });
});

test('a vote can be changed while the poll is open, if it is waiting to be sent or changes are left', () => {
  const waiting = { ...card('a'), vote: 1, voteOp: { type: 'vote', state: 'queued' } } as PollView;
  expect(canChangeVote(waiting)).toBe(true);
  expect(
    canChangeVote({ ...waiting, voteOp: { ...waiting.voteOp, state: 'needs_attention' } } as PollView),
  ).toBe(false);
  expect(canChangeVote(votedPoll('a'))).toBe(true);
  expect(canChangeVote(votedPoll('a', { votes: [{ option: 1, changesLeft: 0 }] }))).toBe(false);
  expect(canChangeVote(votedPoll('a', { status: 'completed' }))).toBe(false);
});

test('a change that was sent counts as used up until its response arrives', () => {
  const withChange = (changesLeft: number, op: object) =>
    ({
      ...votedPoll('a', { votes: [{ option: 1, changesLeft }] }),
      voteOp: { type: 'changeVote', state: 'queued', firstLeasedAt: null, leaseUntil: 0, ...op },
    }) as PollView;
  expect(canChangeVote(withChange(1, {}))).toBe(true);
  expect(canChangeVote(withChange(1, { firstLeasedAt: 1 }))).toBe(false);
  expect(canChangeVote(withChange(2, { firstLeasedAt: 1 }))).toBe(true);
});
