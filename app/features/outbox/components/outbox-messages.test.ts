import { describe, expect, test } from 'vitest';
import type { Poll } from '#shared/polls/schema.ts';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { OpError, OpState } from '#sync/protocol/op.ts';
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

describe('a change in the state `needs_attention`', () => {
  const reason = (lastError: OpError | null) =>
    refusalReason(vote({ state: 'needs_attention', lastError }), 0);

  test('shows the message of its error code', () => {
    expect(reason(error('server_replaced', 'not shown'))).toBe(
      'The server has been replaced since you made this change. It is kept here until you decide.',
    );
  });

  test('does not say whether the app or the server is older if the endpoint is unknown', () => {
    expect(reason(error('unknown_endpoint'))).toBe(
      'The server does not recognise this request. The app and the server may be different versions. It is kept here until you decide.',
    );
  });

  test("shows the server's message if its error code is unknown", () => {
    expect(reason(error('unknown', 'It rains.'))).toBe('It rains. It is kept here until you decide.');
  });

  test.each([null, error('unknown')])(
    'says that the server gave no reason if its error is %j',
    (lastError) => {
      expect(reason(lastError)).toBe(
        'The server did not accept it and gave no reason. It is kept here until you decide.',
      );
    },
  );

  test('has another title than a rejected change', () => {
    const titleIn = (state: OpState, itemOf: typeof vote) => refusalTitle(itemOf({ state }).op);
    expect(titleIn('needs_attention', vote)).toBe('Vote not sent');
    expect(titleIn('rejected', vote)).toBe('Vote not counted');
    expect(titleIn('needs_attention', creation)).toBe('Poll not sent');
    expect(titleIn('rejected', creation)).toBe('Poll not posted');
  });
});

describe('a rejected change', () => {
  const rejection = (code: OpError['code'], message = '') =>
    ({ state: 'rejected', lastError: error(code, message) }) as const;

  test('names the chosen option by its caption in the cached poll, or else in the op', () => {
    const item = vote(rejection('poll_closed'));
    expect(refusalReason(item, 0)).toBe('The poll closed before your vote for Hills arrived.');
    const poll = { option2Caption: 'Alps' } as Poll;
    expect(refusalReason({ ...item, poll }, 0)).toBe('The poll closed before your vote for Alps arrived.');
  });

  test('says that its poll was taken down', () => {
    expect(refusalReason(vote(rejection('not_found')), 0)).toBe(
      'The poll was taken down before your vote arrived.',
    );
  });

  test('names the required points, and the user’s points if they are known', () => {
    const item = creation(rejection('insufficient_points'));
    expect(refusalReason(item, null)).toMatch(/^[^.]*\d+ points[^.]*\.$/);
    expect(refusalReason(item, 7)).toBe(`${refusalReason(item, null)} You have 7.`);
  });

  test("shows the server's message, unless the operation has a message for the code", () => {
    expect(refusalReason(vote(rejection('own_poll', 'You made this poll.')), 0)).toBe('You made this poll.');
    expect(refusalReason(vote(rejection('poll_closed', 'This poll has expired.')), 0)).toMatch(
      /vote for Hills/,
    );
  });

  test('shows the general message of its code if the server sent no message', () => {
    expect(refusalReason(vote(rejection('already_voted')), 0)).toBe('You have already voted on this poll.');
  });

  test("shows the server's message if its error code is unknown", () => {
    expect(refusalReason(creation(rejection('unknown', 'It rains.')), 0)).toBe('It rains.');
  });
});

describe('the warning before discarding a waiting change', () => {
  test.each<[string, Partial<Op>, string]>([
    ['was never sent', { firstLeasedAt: null, leaseUntil: 0, attempts: 0 }, 'It has not been sent yet.'],
    ['was queued by the first release', { attempts: 0 }, 'The server has not responded yet.'],
    [
      'was sent by a tab of the first release',
      { firstLeasedAt: null, leaseUntil: 5, attempts: 0 },
      'The server has not responded yet.',
    ],
    ['was sent', { firstLeasedAt: 5, attempts: 0 }, 'The server has not responded yet.'],
    [
      'was tried without a network',
      { firstLeasedAt: null, leaseUntil: 0, attempts: 1 },
      'It has not been sent yet.',
    ],
    [
      'was acknowledged before a restore of the server',
      { firstLeasedAt: 5, attempts: 0, isRepeated: true },
      'The server accepted it once',
    ],
  ])('says whether the server may have received a change that %s', (_, changes, text) => {
    expect(discardWarning(vote(changes).op)).toContain(text);
  });

  test.each<[string, Partial<Op>, boolean]>([
    ['a vote that was never sent', { firstLeasedAt: null, leaseUntil: 0 }, false],
    ['a vote that was sent', { firstLeasedAt: 5 }, true],
    ['a vote that is repeated', { firstLeasedAt: null, leaseUntil: 0, isRepeated: true }, true],
    ['a change that was sent', { firstLeasedAt: 5, type: 'changeVote' }, false],
  ])('about %s says whether a later change of the vote is discarded, too', (_, changes, isDiscarded) => {
    expect(discardWarning(vote(changes).op).includes('the change is discarded, too')).toBe(isDiscarded);
  });
});
