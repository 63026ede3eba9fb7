import { describe, expect, test } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { OpError } from '#sync/protocol/op.ts';
import { discardWarning, refusalReason, refusalTitle } from './outbox-messages.ts';

const error = (code: OpError['code'], message = ''): OpError => ({ status: 400, code, message });

function vote(changes: Partial<Op>): OutboxItem {
  const payload = { pollId: 'a', option: 2, question: 'Sea or hills?', caption: 'Hills' };
  return { op: { type: 'vote', schemaVersion: 1, payload, ...changes } as Op, poll: null };
}

function creation(changes: Partial<Op>): OutboxItem {
  return {
    op: { type: 'createPoll', schemaVersion: 1, payload: { responsesWanted: 100 }, ...changes } as Op,
    poll: null,
  };
}

describe('a change that the person has to decide about', () => {
  const reason = (lastError: OpError | null) =>
    refusalReason(vote({ state: 'needs_attention', lastError }), 0);

  test('tells the words for a code that is known', () => {
    expect(reason(error('server_replaced', 'not shown'))).toBe(
      'The server has been replaced since this was made. It is kept here until you decide.',
    );
  });

  test('names no side as the older one where the server does not know the request', () => {
    expect(reason(error('unknown_endpoint'))).toBe(
      "The server does not know this request. Its version and the app's differ. It is kept here until you decide.",
    );
  });

  test("tells the server's own words for a code that only the server knows", () => {
    expect(reason(error('unknown', 'It rains.'))).toBe('It rains. It is kept here until you decide.');
  });

  test.each([null, error('unknown')])('says so where the server gave no reason', (lastError) => {
    expect(reason(lastError)).toBe(
      'The server refused it without giving a reason. It is kept here until you decide.',
    );
  });

  test.each([
    [vote({ state: 'needs_attention' }), 'Vote not sent'],
    [creation({ state: 'needs_attention' }), 'Poll not sent'],
    [vote({ state: 'rejected' }), 'Vote not counted'],
    [creation({ state: 'rejected' }), 'Poll not posted'],
  ])('is not called refused', ({ op }, verdict) => expect(refusalTitle(op)).toBe(verdict));
});

describe('a refused change', () => {
  const rejected = (code: OpError['code'], message = '') =>
    ({ state: 'rejected', lastError: error(code, message) }) as const;

  test('names the choice whose poll has closed, as the poll names it where that is known', () => {
    const item = vote(rejected('poll_closed'));
    expect(refusalReason(item, 0)).toBe('The poll closed before your vote for Hills arrived.');
    const poll = { option2Caption: 'Alps' } as Poll;
    expect(refusalReason({ ...item, poll }, 0)).toBe('The poll closed before your vote for Alps arrived.');
  });

  test('says that the poll is gone', () => {
    expect(refusalReason(vote(rejected('not_found')), 0)).toBe(
      'The poll was taken down before your vote arrived.',
    );
  });

  test('names the points that are needed, and those that are there if that is known', () => {
    const item = creation(rejected('insufficient_points'));
    expect(refusalReason(item, null)).toMatch(/^[^.]*\d+ points[^.]*\.$/);
    expect(refusalReason(item, 7)).toBe(`${refusalReason(item, null)} You have 7.`);
  });

  test("tells the server's reason, unless there are words for this operation and code", () => {
    expect(refusalReason(vote(rejected('own_poll', 'You made this poll.')), 0)).toBe('You made this poll.');
    expect(refusalReason(vote(rejected('poll_closed', 'This poll has expired.')), 0)).toMatch(
      /vote for Hills/,
    );
  });

  test('tells the general words for a code where the server gave no reason', () => {
    expect(refusalReason(vote(rejected('already_voted')), 0)).toBe('You have already voted on this poll.');
  });

  test("tells the server's own words for a code that only the server knows", () => {
    expect(refusalReason(creation(rejected('unknown', 'It rains.')), 0)).toBe('It rains.');
  });
});

describe('to discard a change that waits', () => {
  test.each<[string, Partial<Op>, string]>([
    ['was never sent', { firstLeasedAt: null, leaseUntil: 0, attempts: 0 }, 'It has not been sent yet.'],
    ['the first release may have sent', { attempts: 0 }, 'The server has not responded yet.'],
    [
      'was sent by a tab of the first release',
      { firstLeasedAt: null, leaseUntil: 5, attempts: 0 },
      'The server has not responded yet.',
    ],
    ['was sent', { firstLeasedAt: 5, attempts: 0 }, 'The server has not responded yet.'],
    [
      'was tried with no network',
      { firstLeasedAt: null, leaseUntil: 0, attempts: 1 },
      'It has not been sent yet.',
    ],
    ['is of a release that did not note it', { attempts: 0 }, 'The server has not responded yet.'],
    [
      'a restored server took before',
      { firstLeasedAt: 5, attempts: 0, isRepeated: true },
      'The server accepted it once',
    ],
  ])('that %s', (_, changes, words) => {
    expect(discardWarning(vote(changes).op)).toContain(words);
  });
});
