import {
  LOGIN_POINTS,
  LOGIN_POINTS_PER_DAY_MAX,
  REFERRAL_POINTS,
  REFERRAL_SIGNUP_POINTS,
  REFERRAL_VERIFIED_POINTS,
  SIGNUP_BONUS_POINTS,
  VOTE_POINTS,
} from '#shared/points/constants.ts';
import { MIN_RESPONSES, RESPONSE_COST_POINTS } from '#shared/polls/constants.ts';
import { pollCost } from '#shared/polls/rules.ts';

export type PointFact = { delta: number; title: string; text: string };

const MIN_COST = pollCost(MIN_RESPONSES);

/** "1 point", "2 points". */
function counted(count: number): string {
  return `${count} ${count === 1 ? 'point' : 'points'}`;
}

export const EARNINGS: readonly PointFact[] = [
  { delta: VOTE_POINTS, title: 'Vote on a poll', text: `${counted(VOTE_POINTS)} for each vote` },
  {
    delta: LOGIN_POINTS,
    title: 'Log in',
    text: `Up to ${LOGIN_POINTS_PER_DAY_MAX / LOGIN_POINTS} times a day`,
  },
  {
    delta: REFERRAL_POINTS,
    title: 'Bring a friend',
    text: `${REFERRAL_SIGNUP_POINTS} when they join, ${REFERRAL_VERIFIED_POINTS} when they verify`,
  },
  { delta: SIGNUP_BONUS_POINTS, title: 'Sign up', text: 'Already yours' },
];

export const SPENDINGS: readonly PointFact[] = [
  {
    delta: -MIN_COST,
    title: 'Create a poll',
    text: `${MIN_RESPONSES} responses, each extra one ${counted(RESPONSE_COST_POINTS)}`,
  },
];

export const TIPS: readonly string[] = [
  `${Math.ceil(MIN_COST / VOTE_POINTS)} votes pay for a poll of your own.`,
  'No signal? Vote anyway. Its point comes as soon as the vote is sent.',
  'A poll with two clear pictures and short captions gets its answers sooner.',
];
