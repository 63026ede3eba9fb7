import { createHash } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#api/db/client.ts';
import { rateLimits } from '#api/db/schema/rate-limits.ts';
import { AppError } from '#api/errors.ts';
import type { AppEnv } from '#api/http/app-env.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

/**
 * The limits: so many calls in so many seconds. `shared` limits are counted in the database, across processes; the others
 * in memory.
 */
const LIMITS = {
  loginsOfClient: { calls: 20, seconds: 5 * MINUTE_S, shared: true },
  loginFailuresOfNameAndClient: { calls: 10, seconds: 15 * MINUTE_S, shared: true },
  loginFailuresOfName: { calls: 25, seconds: HOUR_S, shared: true },
  registrationsOfClient: { calls: 10, seconds: 30 * MINUTE_S, shared: true },
  passwordRequestsOfClient: { calls: 6, seconds: HOUR_S, shared: true },
  passwordRequestsOfAddress: { calls: 5, seconds: HOUR_S, shared: true },
  tokenUsesOfClient: { calls: 10, seconds: 10 * MINUTE_S, shared: true },
  verificationsOfUser: { calls: 5, seconds: HOUR_S, shared: true },
  verificationsOfAddress: { calls: 5, seconds: HOUR_S, shared: true },
  takenNamesOfUser: { calls: 10, seconds: 30 * MINUTE_S, shared: true },
  usernameChecksOfClient: { calls: 20, seconds: MINUTE_S, shared: false },
  creationsAMinute: { calls: 10, seconds: MINUTE_S, shared: false },
  creationsAnHour: { calls: 60, seconds: HOUR_S, shared: false },
  /** Applies once the two above are exceeded, to uploads whose key turns out to belong to another one. */
  reusedKeys: { calls: 20, seconds: HOUR_S, shared: false },
  votes: { calls: 600, seconds: 5 * MINUTE_S, shared: false },
  adminSearches: { calls: 60, seconds: MINUTE_S, shared: false },
  messagesOfSocket: { calls: 100, seconds: MINUTE_S, shared: false },
  callsOfUser: { calls: 1_500, seconds: 5 * MINUTE_S, shared: false },
  callsOfVisitor: { calls: 300, seconds: 5 * MINUTE_S, shared: false },
} as const;

export type LimitName = keyof typeof LIMITS;

export type Limit = ReturnType<typeof toLimit>;

export type Limits = Readonly<Record<LimitName, Limit>>;

const UNLIMITED: Limit = {
  count: async () => ({ delayS: 0, undo: async () => {} }),
  take: async () => {},
  tryTake: async () => true,
  giveBack: async () => {},
};

/** The limits of this process; without effect when `options.enabled` is false. */
export function createLimits(db: Database, options: { enabled: boolean }): Limits {
  const entries = Object.entries(LIMITS).map(([name, { calls, seconds, shared }]) => {
    if (!options.enabled) return [name, UNLIMITED];
    const settings = { keyPrefix: name, points: calls, duration: seconds };
    const limiter = shared
      ? new RateLimiterDrizzle({
          ...settings,
          storeClient: db.orm,
          schema: rateLimits,
          clearExpiredByTimeout: false,
        })
      : new RateLimiterMemory(settings);
    return [name, toLimit(limiter, shared ? toDigest : String)];
  });
  return Object.fromEntries(entries);
}

/** Limits all calls together, by user or, for visitors, by address. */
export function generalLimit(limits: Limits) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (c.var.user === null) await limits.callsOfVisitor.take(c.var.client);
    else await limits.callsOfUser.take(c.var.user.id);
    await next();
  });
}

/** The database stores digests of names and addresses, so that they outlive no account and are in no dump. */
function toDigest(key: string | number): string {
  return createHash('sha256').update(String(key)).digest('base64url');
}

function toLimit(limiter: RateLimiterDrizzle | RateLimiterMemory, toKey: (key: string | number) => string) {
  async function consume(key: string | number): Promise<{ delayS: number; msBeforeNext: number }> {
    try {
      const { msBeforeNext } = await limiter.consume(toKey(key));
      return { delayS: 0, msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const { msBeforeNext } = refusal;
      return { delayS: Math.max(1, Math.ceil(msBeforeNext / 1000)), msBeforeNext };
    }
  }
  return {
    /** Counts a call of `key`. `delayS`: seconds to wait, 0 within the limit; `undo` undoes the count in its window. */
    count: async (key: string | number) => {
      const { delayS, msBeforeNext } = await consume(key);
      const endsAtMs = performance.now() + msBeforeNext;
      const undo = async () => {
        // Later this would add a call to the next window.
        if (performance.now() < endsAtMs) await limiter.reward(toKey(key));
      };
      return { delayS, undo };
    },
    /** Counts a call. Throws `rate_limited` (429, with the time to wait) when the limit is exceeded. */
    take: async (key: string | number): Promise<void> => {
      const { delayS: retryAfterSeconds } = await consume(key);
      if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
    },
    /** Counts a call and returns whether it is within the limit. */
    tryTake: async (key: string | number) => (await consume(key)).delayS === 0,
    /** Undoes the count of one call. */
    giveBack: async (key: string | number): Promise<void> => {
      await limiter.reward(toKey(key));
    },
  };
}
