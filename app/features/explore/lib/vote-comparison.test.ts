import { expect, test } from 'vitest';
import type { PollView } from '#sync/operations/operation.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { compareVote } from './vote-comparison.ts';

test.each([
  [{ option1: 3, option2: 1 }, 'You are with the crowd'],
  [{ option1: 1, option2: 3 }, 'You are one of the few'],
  [{ option1: 2, option2: 2 }, 'Right down the middle'],
  [{ option1: 1, option2: 0 }, 'First vote'],
  [null, null],
])('with the results %j, a vote for the first option is described as %j', (results, comparison) => {
  const view = { poll: samplePoll({ results }), vote: 1, voteOp: null, createOp: null } as const;
  expect(compareVote(view)).toBe(comparison);
});

test('a vote for the second option is compared the same way, and a vote that is not confirmed yet is not compared', () => {
  const poll = samplePoll({ results: { option1: 1, option2: 3 } });
  const view: PollView = { poll, vote: 2, voteOp: null, createOp: null };
  expect(compareVote(view)).toBe('You are with the crowd');
  expect(compareVote({ ...view, voteOp: { state: 'queued' } as PollView['voteOp'] })).toBeNull();
});
