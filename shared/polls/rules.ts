import { RESPONSE_COST_POINTS } from './constants.ts';
import type { Option, Poll, PollStatus } from './schema.ts';

type StatusInput = Pick<Poll, 'active' | 'votesCount' | 'responsesWanted'> & { closesAt: string | Date };

/** The status of a poll at `nowMs` (milliseconds since 1970, by the server's clock). First match wins. */
export function pollStatus(poll: StatusInput, nowMs: number): PollStatus {
  if (!poll.active) return 'inactive';
  if (new Date(poll.closesAt).getTime() <= nowMs) return 'expired';
  if (poll.votesCount >= poll.responsesWanted) return 'completed';
  return 'active';
}

/** Percentages that add up to 100 (0 and 0 while there are no votes). */
export function percentages(results: { option1: number; option2: number }): Record<Option, number> {
  const total = results.option1 + results.option2;
  if (total === 0) return { 1: 0, 2: 0 };
  const first = Math.round((results.option1 / total) * 100);
  return { 1: first, 2: 100 - first };
}

/** What a poll costs its maker, in points. */
export function pollCost(responsesWanted: number): number {
  return responsesWanted * RESPONSE_COST_POINTS;
}

/** What is said to a maker who cannot pay for a poll. `cost` is in points. */
export function pointsNeeded(cost: number): string {
  return `You need ${cost} points to create a poll`;
}

/** "1 vote", "2 votes". */
export function votesLabel(count: number): string {
  return `${count} ${count === 1 ? 'vote' : 'votes'}`;
}

/** An image path as a browser can load it: one that is neither absolute nor a full URL gets a slash. */
export function imagePath(path: string): string {
  return /^(\/|https?:)/.test(path) ? path : `/${path}`;
}
