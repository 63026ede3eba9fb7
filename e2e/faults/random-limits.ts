import { AppError } from '#api/errors.ts';
import { createLimits, type Limit, type Limits } from '#api/http/limits/limits.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { EventCoverage } from './event-coverage.ts';

/** The longest wait; devices cap a `Retry-After` at this anyway. */
const RETRY_AFTER_MAX_S = 60;

/** Rate limits that refuse at random, because the real limits count real time and the devices have fake clocks. */
export type RandomLimits = {
  limits: Limits;
  /** The share of calls that are refused, from 0 to 1. */
  refusedShare: number;
  /** The maximum number of further refusals. */
  refusalsLeft: number;
};

type Options = {
  test: TestApp;
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number;
  coverage: EventCoverage;
};

export function createRandomLimits({ test: { db }, random, coverage }: Options): RandomLimits {
  /** Decides on a call: returns the seconds until a retry of a refused call, and 0 for an allowed one. */
  const drawRetryAfterS = () => {
    if (state.refusalsLeft <= 0 || random() >= state.refusedShare) return 0;
    state.refusalsLeft -= 1;
    coverage.record('a call was refused by a rate limit');
    return 1 + Math.floor(random() * RETRY_AFTER_MAX_S);
  };
  const limit: Omit<Limit, 'code'> = {
    count: async () => ({ delayS: drawRetryAfterS(), undo: async () => {} }),
    async take() {
      const retryAfterSeconds = drawRetryAfterS();
      if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
    },
    tryTake: async () => drawRetryAfterS() === 0,
    undo: async () => {},
  };
  const unlimited = Object.entries(createLimits(db, { enabled: false }));
  const limits = Object.fromEntries(
    unlimited.map(([name, { code }]) => [name, { ...limit, code }]),
  ) as unknown as Limits;
  const state: RandomLimits = { limits, refusedShare: 0, refusalsLeft: 0 };
  return state;
}
