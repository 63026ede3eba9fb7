import type { PollView } from '#sync/operations/operation.ts';

/** How the user's vote compares with the others; null until the vote is confirmed and the poll's results are known. */
export function compareVote({ poll, vote, voteOp }: PollView): string | null {
  if (vote === null || voteOp !== null || poll.results === null) return null;
  const { option1, option2 } = poll.results;
  if (option1 + option2 <= 1) return 'First vote';
  if (option1 === option2) return 'Right down the middle';
  const majority = option1 > option2 ? 1 : 2;
  return vote === majority ? 'You are with the crowd' : 'You are one of the few';
}
