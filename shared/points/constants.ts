export const SIGNUP_BONUS_POINTS = 10;
export const LOGIN_POINTS = 1;
export const LOGIN_POINTS_PER_DAY_MAX = 5;
export const VOTE_POINTS = 1;
export const REFERRAL_SIGNUP_POINTS = 5;
export const REFERRAL_VERIFIED_POINTS = 5;
/**
 * How many sign-ups of friends in 24 hours earn points immediately. Further sign-ups earn them once the friend's email is
 * verified.
 */
export const REFERRAL_SIGNUPS_PER_DAY_MAX = 10;
/** Total points for a successful referral. */
export const REFERRAL_POINTS = REFERRAL_SIGNUP_POINTS + REFERRAL_VERIFIED_POINTS;

/** The reasons of ledger entries. `refund`: the unused responses of a poll that its maker has closed early. */
export const POINT_REASONS = ['signup', 'login', 'vote', 'referral', 'poll', 'refund'] as const;
export type PointReason = (typeof POINT_REASONS)[number];
