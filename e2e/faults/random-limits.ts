import { createLimits, type Limits, limitFromCount } from '#api/http/limits/limits.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { EventCoverage } from './event-coverage.ts';

/** The longest wait. Devices wait no longer than this anyway, except for `vote_limit` (`sync/protocol/outcome.ts`). */
const RETRY_AFTER_MAX_S = 60;

/** Rate limits that refuse at random, because the real limits count real time and the devices have fake clocks. */
export type RandomLimits = {
  limits: Limits;
  /** The probability, from 0 to 1, that one limit refuses a call; a call passes several limits. */
  refusalProbability: number;
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
  /** Decides whether a limit refuses a call: returns the seconds until it can be retried, and 0 if it is allowed. */
  const drawRetryAfterS = () => {
    if (state.refusalsLeft <= 0 || random() >= state.refusalProbability) return 0;
    state.refusalsLeft -= 1;
    coverage.record('a rate limit refused a call');
    return 1 + Math.floor(random() * RETRY_AFTER_MAX_S);
  };
  const count = async () => ({ delayS: drawRetryAfterS(), undo: async () => {} });
  const unlimited = Object.entries(createLimits(db, { enabled: false }));
  const limits = Object.fromEntries(
    unlimited.map(([name, { code }]) => [name, limitFromCount(count, code)]),
  ) as Limits;
  const state: RandomLimits = { limits, refusalProbability: 0, refusalsLeft: 0 };
  return state;
}
