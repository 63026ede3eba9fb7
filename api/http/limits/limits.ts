import { hash } from 'node:crypto';
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#api/db/client.ts';
import { rateLimits } from '#api/db/schema/limits.ts';
import { AppError } from '#api/errors.ts';
import type { Step } from '#api/http/before.ts';
import { networksOf } from '#api/http/client-address.ts';
import { UNVERIFIED_VOTES_PER_DAY_MAX } from '#shared/polls/constants.ts';
import { createSlidingCounter, type SlidingCounter } from './sliding-counter.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

type LimitSettings = {
  calls: number;
  seconds: number;
  shared: boolean;
  /** The keys are clients (see `AppEnv`). Also counts the wider networks of an IPv6 client. */
  perClient?: true;
  /** A sliding window: the last `seconds` at any moment, instead of windows that begin with a call. Counted in the database. */
  sliding?: true;
  /** The error beyond the limit, for sliding windows only; `rate_limited` by default. */
  code?: LimitCode;
};
type LimitCode = 'rate_limited' | 'vote_limit';

/** The allowances of an IPv6 /64, /56 and /48, as multiples of a limit's calls. */
const NETWORK_ALLOWANCES = [1, 4, 16] as const;

/**
 * The limits: `calls` within `seconds`. `shared` limits are counted in the database, across processes. They cover guesses of
 * passwords and codes, and attempts to store or send something, except votes by verified users: counting these in the database
 * would cost two more writes, and the number of polls bounds them. The other limits keep one client from overloading a process, so
 * each process counts them in memory. Limits `OfName` count each username or email at logins separately, limits `OfAddress` each
 * email address.
 */
const LIMITS = {
  loginsOfClient: { calls: 20, seconds: 5 * MINUTE_S, shared: true, perClient: true },
  loginFailuresOfNameAndClient: { calls: 10, seconds: 15 * MINUTE_S, shared: true },
  loginFailuresOfName: { calls: 25, seconds: HOUR_S, shared: true },
  /** Security events about logins that are slowed down: one event stands for all that follow within the hour. */
  slowdownEventsOfName: { calls: 1, seconds: HOUR_S, shared: true },
  registrationsOfClient: { calls: 10, seconds: 30 * MINUTE_S, shared: true, perClient: true },
  passwordRequestsOfClient: { calls: 6, seconds: HOUR_S, shared: true, perClient: true },
  passwordRequestsOfAddress: { calls: 5, seconds: HOUR_S, shared: true },
  tokenUsesOfClient: { calls: 10, seconds: 10 * MINUTE_S, shared: true, perClient: true },
  verificationsOfUser: { calls: 5, seconds: HOUR_S, shared: true },
  verificationsOfAddress: { calls: 5, seconds: HOUR_S, shared: true },
  /** Attempts to change to a username or email that is taken. */
  takenNamesOfUser: { calls: 10, seconds: 30 * MINUTE_S, shared: true },
  emailChangesOfUser: { calls: 20, seconds: HOUR_S, shared: true },
  /**
   * A rename sends a mail but takes no password. It has a separate limit, so that renames do not use up
   * `credentialChangesOfUser`.
   */
  renamesOfUser: { calls: 10, seconds: HOUR_S, shared: true },
  /**
   * Mails about a change of the email that go to an address that was never verified, perhaps a stranger's. Beyond the limit they
   * are sent later.
   */
  changeNoticesOfUnverified: { calls: 5, seconds: HOUR_S, shared: true },
  /** Each successful change sends a mail, perhaps to somebody else's address. */
  credentialChangesOfUser: { calls: 30, seconds: HOUR_S, shared: true },
  wrongPasswordsOfUser: { calls: 10, seconds: 15 * MINUTE_S, shared: true },
  recoveryCodesOfUser: { calls: 10, seconds: 15 * MINUTE_S, shared: true },
  /** Each view of the login requests a challenge, which is stored for five minutes. Many people may share a network. */
  challengesOfClient: { calls: 200, seconds: 5 * MINUTE_S, shared: true, perClient: true },
  challengesOfUser: { calls: 60, seconds: 5 * MINUTE_S, shared: true },
  usernameChecksOfClient: { calls: 20, seconds: MINUTE_S, shared: false, perClient: true },
  exportsOfUser: { calls: 5, seconds: DAY_S, shared: true },
  creationsAMinute: { calls: 10, seconds: MINUTE_S, shared: true },
  creationsAnHour: { calls: 60, seconds: HOUR_S, shared: true },
  /** Applies once the two limits above are exceeded, to uploads whose key already has a receipt. */
  reusedKeys: { calls: 20, seconds: HOUR_S, shared: true },
  /** Images that could not be decoded: each may cost seconds of CPU time. */
  failedDecodes: { calls: 20, seconds: HOUR_S, shared: true },
  votes: { calls: 600, seconds: 5 * MINUTE_S, shared: false },
  closings: { calls: 60, seconds: HOUR_S, shared: true },
  /** Votes by hour and CSV files: each request reads all votes of a poll. */
  resultsOfUser: { calls: 120, seconds: 5 * MINUTE_S, shared: false },
  /** Reports and blocks, and their withdrawal. */
  reports: { calls: 120, seconds: HOUR_S, shared: true },
  /** Each subscription is an address that push messages are sent to. */
  pushSubscriptionsOfUser: { calls: 60, seconds: HOUR_S, shared: true },
  votesOfUnverified: {
    calls: UNVERIFIED_VOTES_PER_DAY_MAX,
    seconds: DAY_S,
    shared: true,
    sliding: true,
    code: 'vote_limit',
  },
  searches: { calls: 60, seconds: MINUTE_S, shared: false },
  messagesOfSocket: { calls: 100, seconds: MINUTE_S, shared: false },
  /** A page of the feed has 48 images, and a high-density screen loads both sizes of each. */
  imagesOfClient: { calls: 6_000, seconds: 5 * MINUTE_S, shared: false, perClient: true },
  /**
   * Pages, card images and calls of share links. Many people may share one address, for example where a QR code is on display.
   */
  sharedPollsOfClient: { calls: 1_500, seconds: 5 * MINUTE_S, shared: false, perClient: true },
  /** Card images that have not been composed yet. */
  cardsOfClient: { calls: 60, seconds: 5 * MINUTE_S, shared: false, perClient: true },
  /** Enough for several monitors that each check once a second. */
  readinessChecksOfClient: { calls: 300, seconds: MINUTE_S, shared: false, perClient: true },
  callsOfUser: { calls: 1_500, seconds: 5 * MINUTE_S, shared: false },
  callsOfVisitor: { calls: 300, seconds: 5 * MINUTE_S, shared: false, perClient: true },
} as const satisfies Record<string, LimitSettings>;

export type LimitName = keyof typeof LIMITS;

export type Limit = {
  /** The error beyond the limit. */
  code: LimitCode;
  /** Counts a call of `key`. `delayS`: seconds to wait, 0 within the limit; `undo` undoes the count in its window. */
  count(key: string | number): Promise<{ delayS: number; undo(): Promise<void> }>;
  /** Counts a call. Throws the error `code` (429, with the time to wait) when the limit is exceeded. */
  take(key: string | number): Promise<void>;
  /** Counts a call and returns whether it is within the limit. */
  tryTake(key: string | number): Promise<boolean>;
};

export type Limits = Readonly<Record<LimitName, Limit>>;

const countNothing = async () => ({ delayS: 0, undo: async () => {} });

/** The limits of this process; without effect when `options.enabled` is false. */
export function createLimits(db: Database, options: { enabled: boolean }): Limits {
  const entries = Object.entries<LimitSettings>(LIMITS).map(([name, settings]) => {
    const { calls, seconds, shared, perClient, sliding, code } = settings;
    if (!options.enabled) return [name, limitFromCount(countNothing, code)];
    if (sliding) return [name, toSlidingLimit(name, createSlidingCounter(db, { calls, seconds }), code)];
    const createLimit = (allowance: number) => {
      const window = { keyPrefix: name, points: calls * allowance, duration: seconds };
      const limiter = shared
        ? new RateLimiterDrizzle({
            ...window,
            storeClient: db.orm,
            schema: rateLimits,
            // The housekeeping deletes expired rows.
            clearExpiredByTimeout: false,
          })
        : new RateLimiterMemory(window);
      return toLimit(limiter, shared ? toDigest : String);
    };
    return [name, perClient ? toLimitOfNetworks(NETWORK_ALLOWANCES.map(createLimit)) : createLimit(1)];
  });
  return Object.fromEntries(entries);
}

/** Limits all calls together, by user or, for visitors, by client. */
export function generalLimit(limits: Limits): Step {
  return (c) => {
    const user = c.get('user');
    return user === null ? limits.callsOfVisitor.take(c.get('client')) : limits.callsOfUser.take(user.id);
  };
}

/** The database stores digests of names and addresses, so that dumps do not contain them and they do not outlive an account. */
function toDigest(key: string | number): string {
  return hash('sha256', String(key), 'base64url');
}

/**
 * A limit by client. A call counts against the limits of all networks of the client, or against none if one of them is exceeded.
 * The widest network is counted first, so that nobody can create a counter for each of their 65,536 networks.
 */
function toLimitOfNetworks(limits: readonly Limit[]): Limit {
  const count: Limit['count'] = async (client) => {
    const { undos, undoAll } = collectUndos();
    for (const [index, network] of [...networksOf(String(client)).entries()].toReversed()) {
      const counted = await limits[index]?.count(network);
      if (counted === undefined) continue;
      if (counted.delayS > 0) {
        await undoAll();
        return counted;
      }
      undos.push(counted.undo);
    }
    return { delayS: 0, undo: undoAll };
  };
  return limitFromCount(count);
}

function toSlidingLimit(name: string, counter: SlidingCounter, code: LimitCode | undefined): Limit {
  return limitFromCount((key) => counter.count(toDigest(`${name} ${key}`)), code);
}

/** Collects what undoes counts. `undoAll` calls each once, also when called again. */
export function collectUndos() {
  const undos: (() => Promise<void>)[] = [];
  const undoAll = async () => {
    for (const undo of undos.splice(0)) await undo();
  };
  return { undos, undoAll };
}

/** A limit with this function for the count, and the code of the error after too many calls. */
export function limitFromCount(count: Limit['count'], code: LimitCode = 'rate_limited'): Limit {
  return {
    code,
    count,
    take: async (key) => {
      const { delayS: retryAfterSeconds } = await count(key);
      if (retryAfterSeconds > 0) throw new AppError(code, { retryAfterSeconds });
    },
    tryTake: async (key) => (await count(key)).delayS === 0,
  };
}

function toLimit(
  limiter: RateLimiterDrizzle | RateLimiterMemory,
  toKey: (key: string | number) => string,
): Limit {
  const count: Limit['count'] = async (key) => {
    const { isWithin, msBeforeNext } = await limiter.consume(toKey(key)).then(
      ({ msBeforeNext }) => ({ isWithin: true, msBeforeNext }),
      (refusal) => {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return { isWithin: false, msBeforeNext: refusal.msBeforeNext };
      },
    );
    const endsAtMs = performance.now() + msBeforeNext;
    return {
      delayS: isWithin ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000)),
      undo: async () => {
        // After the end of the window, this would add a call to the next one.
        if (performance.now() < endsAtMs) await limiter.reward(toKey(key));
      },
    };
  };
  return limitFromCount(count);
}
