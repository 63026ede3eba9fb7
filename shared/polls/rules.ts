import { IMAGE_SMALL_PX, RESPONSE_COST_POINTS } from './constants.ts';
import type { Option, Poll, PollStatus } from './schema.ts';

type StatusInput = Pick<Poll, 'active' | 'votesCount' | 'responsesWanted'> & { closesAt: string | Date };

/**
 * The status of a poll at `nowMs` (the server's time in milliseconds since 1970). After its end, a poll is `expired` even if it
 * has all responses wanted.
 */
export function pollStatus(poll: StatusInput, nowMs: number): PollStatus {
  if (!poll.active) return 'inactive';
  if (new Date(poll.closesAt).getTime() <= nowMs) return 'expired';
  if (poll.votesCount >= poll.responsesWanted) return 'completed';
  return 'active';
}

/** The percentage of each option. Both add up to 100, or are 0 without votes. */
export function votePercentages(results: { option1: number; option2: number }): Record<Option, number> {
  const total = results.option1 + results.option2;
  if (total === 0) return { 1: 0, 2: 0 };
  const first = Math.round((results.option1 / total) * 100);
  return { 1: first, 2: 100 - first };
}

/** Whether the results are known and contain no votes. */
export function hasNoVotes({ results }: Pick<Poll, 'results'>): boolean {
  return results !== null && results.option1 + results.option2 === 0;
}

/** The price of a poll in points. */
export function pollCost(responsesWanted: number): number {
  return responsesWanted * RESPONSE_COST_POINTS;
}

/** The refund in points if the maker closes the poll now. */
export function refundOf(poll: Pick<Poll, 'responsesWanted' | 'votesCount' | 'isFree' | 'isSample'>): number {
  if (poll.isFree || poll.isSample) return 0;
  return Math.max(0, poll.responsesWanted - poll.votesCount) * RESPONSE_COST_POINTS;
}

/** Message shown when the balance is less than `cost` (in points). */
export function insufficientPointsMessage(cost: number): string {
  return `You need ${cost} points to create a poll`;
}

/** The caption of an option, or "Option A" or "Option B". */
export function captionOf(poll: Pick<Poll, 'option1Caption' | 'option2Caption'>, option: Option): string {
  return option === 1 ? (poll.option1Caption ?? 'Option A') : (poll.option2Caption ?? 'Option B');
}

/** Adds a leading slash to an image path unless it has one or is a full URL. */
export function normalizeImagePath(path: string): string {
  return /^(\/|https?:)/.test(path) ? path : `/${path}`;
}

/** The path of an uploaded image in its small size. Placeholders have only one size. */
export function smallImagePath(path: string): string {
  return `${path}?w=${IMAGE_SMALL_PX}`;
}
