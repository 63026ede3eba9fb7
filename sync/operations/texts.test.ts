import { describe, expect, test } from 'vitest';
import type { ReceivedErrorCode } from '#shared/errors.ts';
import { operationOf } from './registry.ts';

const operation = (type: string) => operationOf({ type, schemaVersion: 1 });
const VOTES = ['vote', 'changeVote'] as const;
const UNKNOWN_TYPE = 'comment';

const context = { choice: 'Hills', points: null };
const reason = (type: string, code: ReceivedErrorCode) => operation(type).texts.reason(code, {}, context);

test('the text of a waiting op says what it is, and what a new poll costs', () => {
  const waitingTexts = ['vote', 'changeVote', 'createPoll', UNKNOWN_TYPE].map((type) =>
    operation(type).texts.waiting({ responsesWanted: 30 }),
  );
  expect(waitingTexts).toEqual([
    'Your vote',
    'Changed to',
    'Your poll · costs 30 points',
    'Made in a newer version of the app, which will send it',
  ]);
});

test('the texts of reports and blocks contain the user and the reason of a refusal', () => {
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
    'Report withdrawn',
    'Blocked',
    'Unblocked',
  ]);
  expect(types.map((type) => reason(type, 'not_found'))).toEqual([
    'The poll was taken down before your report arrived.',
    null,
    'There is no longer a user with this name.',
    null,
  ]);
});

describe('a refusal', () => {
  test.each([
    ['vote', 'The poll closed before your vote for Hills arrived.'],
    ['changeVote', 'The poll closed before your change arrived.'],
  ])('of a %s on a closed poll says that it came too late', (type, text) => {
    expect(reason(type, 'poll_closed')).toBe(text);
  });

  test.each([
    ['vote', 'The poll was taken down before your vote arrived.'],
    ['changeVote', 'The poll was taken down before your change arrived.'],
  ])('of a %s on a missing poll says that it was taken down', (type, text) => {
    expect(reason(type, 'not_found')).toBe(text);
  });

  test('of a poll that costs too much says how many points it costs and how many the user has', () => {
    const explain = (code: ReceivedErrorCode, points: number | null) =>
      operation('createPoll').texts.reason(code, { responsesWanted: 30 }, { choice: null, points });
    expect(explain('insufficient_points', null)).toMatch(/^[^.]*\b30 points[^.]*\.$/);
    expect(explain('insufficient_points', 7)).toBe(`${explain('insufficient_points', null)} You have 7.`);
    expect(explain('insufficient_points', 30)).toBe(
      `${explain('insufficient_points', null)} You have enough now.`,
    );
    expect(explain('invalid_input', 7)).toBeNull();
  });

  test('for any other reason has the general message', () => {
    expect([...VOTES, UNKNOWN_TYPE].map((type) => reason(type, 'rate_limited'))).toEqual([null, null, null]);
  });

  test('offers to see the results of a voted poll, and to edit or retry a new poll', () => {
    expect([...VOTES, 'createPoll', UNKNOWN_TYPE].map((type) => operation(type).refusedActions)).toEqual([
      ['see_results'],
      ['see_results'],
      ['edit', 'try_again'],
      [],
    ]);
  });
});

describe('the text on the card of a poll', () => {
  test('names the choice that was not counted if a vote was refused', () => {
    expect(operation('vote').texts.forCard?.('Hills', null)).toEqual({
      unsent: 'The server did not accept this vote.',
      refused: 'Your vote for Hills was not counted.',
      confirmedVote: null,
    });
  });

  test.each([
    ['Sea', 'Your vote for Sea stays.'],
    [null, null],
  ])('names the vote that still counts (%s) if a change was refused', (confirmed, confirmedVote) => {
    expect(operation('changeVote').texts.forCard?.('Hills', confirmed)).toEqual({
      unsent: 'The server did not accept this change.',
      refused: 'Your change was not counted.',
      confirmedVote,
    });
  });
});
