import { describe, expect, test } from 'vitest';
import type { ReceivedErrorCode } from '#shared/errors.ts';
import { operationOf } from './registry.ts';

const operation = (type: string) => operationOf({ type, schemaVersion: 1 });
const VOTES = ['vote', 'changeVote'] as const;
const NEWER = 'comment';

const choice = { choice: 'Hills', points: null };
const reason = (type: string, code: ReceivedErrorCode) => operation(type).texts.reason(code, {}, choice);

test('what waits is told as what it is, a new poll with its price', () => {
  const waiting = ['vote', 'changeVote', 'createPoll', NEWER].map((type) =>
    operation(type).texts.waiting({ responsesWanted: 30 }),
  );
  expect(waiting).toEqual([
    'Your vote',
    'Changed to',
    'Your poll · costs 30 points',
    'Made in a newer version of the app, which will send it',
  ]);
});

test('reports and blocks tell what they are about, and why they were refused', () => {
  const payload = { username: 'mara.lind' };
  const types = ['report', 'takeBackReport', 'block', 'unblock'] as const;
  expect(types.map((type) => operation(type).texts.title?.(payload))).toEqual([
    undefined,
    undefined,
    'mara.lind',
    'mara.lind',
  ]);
  expect(types.map((type) => operation(type).texts.waiting(payload))).toEqual([
    'Your report',
    'Report taken back',
    'Blocked',
    'Unblocked',
  ]);
  expect(types.map((type) => reason(type, 'not_found'))).toEqual([
    'The poll was taken down before your report arrived.',
    null,
    'Nobody has this name any more.',
    null,
  ]);
});

describe('a refusal', () => {
  test.each([
    ['vote', 'The poll closed before your vote for Hills arrived.'],
    ['changeVote', 'The poll closed before your change arrived.'],
  ])('of a %s on a closed poll says that it came too late', (type, words) => {
    expect(reason(type, 'poll_closed')).toBe(words);
  });

  test.each([
    ['vote', 'The poll was taken down before your vote arrived.'],
    ['changeVote', 'The poll was taken down before your change arrived.'],
  ])('of a %s on a poll that is gone says so', (type, words) => {
    expect(reason(type, 'not_found')).toBe(words);
  });

  test('of a poll that costs too much names the points that are needed, and those that are there if that is known', () => {
    const explain = (code: ReceivedErrorCode, points: number | null) =>
      operation('createPoll').texts.reason(code, { responsesWanted: 30 }, { choice: null, points });
    expect(explain('insufficient_points', null)).toMatch(/^[^.]*\b30 points[^.]*\.$/);
    expect(explain('insufficient_points', 7)).toBe(`${explain('insufficient_points', null)} You have 7.`);
    expect(explain('invalid_input', 7)).toBeNull();
  });

  test('for any other reason has the general words', () => {
    expect([...VOTES, NEWER].map((type) => reason(type, 'rate_limited'))).toEqual([null, null, null]);
  });

  test('of a vote lets the person look at the results, of a poll edit it or try again', () => {
    expect([...VOTES, 'createPoll', NEWER].map((type) => operation(type).refusedActions)).toEqual([
      ['see_results'],
      ['see_results'],
      ['edit', 'try_again'],
      [],
    ]);
  });
});

describe('on the card of its poll', () => {
  test('a refused vote names the choice that was not counted', () => {
    expect(operation('vote').texts.forCard?.('Hills', null)).toEqual({
      unsent: 'The server did not accept this vote.',
      refused: 'Your vote for Hills was not counted.',
      confirmedVote: null,
    });
  });

  test.each([
    ['Sea', 'Your vote for Sea stays.'],
    [null, null],
  ])('a refused change names the vote that counts all the same (%s)', (confirmed, confirmedVote) => {
    expect(operation('changeVote').texts.forCard?.('Hills', confirmed)).toEqual({
      unsent: 'The server did not accept this change.',
      refused: 'Your change was not counted.',
      confirmedVote,
    });
  });
});
