import { AppError } from '#api/errors.ts';
import { createLimits, type Limit, type Limits } from '#api/http/limits/limits.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { Happenings } from './happenings.ts';

/** The longest wait that the real limits of votes and polls ask for is cut to this by the devices anyway. */
const WAIT_MAX_S = 60;

/** Rate limits that refuse by chance, since the real ones count real time and the devices do not live in it. */
export type RandomLimits = {
  limits: Limits;
  /** How often a call is refused, from 0 to 1. */
  share: number;
  /** So many calls are refused at most; after that none is. */
  left: number;
};

type Options = {
  test: TestApp;
  /** A number from 0 up to 1. */
  random: () => number;
  happenings: Happenings;
};

export function createRandomLimits({ test: { db }, random, happenings }: Options): RandomLimits {
  const refuse = () => {
    if (state.left <= 0 || random() >= state.share) return 0;
    state.left -= 1;
    happenings.note('a call was refused by a rate limit');
    return 1 + Math.floor(random() * WAIT_MAX_S);
  };
  const limit: Omit<Limit, 'code'> = {
    count: async () => ({ delayS: refuse(), undo: async () => {} }),
    async take() {
      const retryAfterSeconds = refuse();
      if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
    },
    tryTake: async () => refuse() === 0,
    undo: async () => {},
  };
  const unlimited = Object.entries(createLimits(db, { enabled: false }));
  const limits = Object.fromEntries(
    unlimited.map(([name, { code }]) => [name, { ...limit, code }]),
  ) as unknown as Limits;
  const state: RandomLimits = { limits, share: 0, left: 0 };
  return state;
}
