import { availableParallelism } from 'node:os';
import bcrypt from 'bcryptjs';
import { Piscina } from 'piscina';
import { type Caller, networksOf } from '#api/http/client-address.ts';
import { createFairQueue } from '#api/http/limits/fair-queue.ts';
import type { PasswordResult, PasswordTask } from './password-worker.ts';

/** Each increment doubles the work; cost 12 takes about a quarter of a second. */
const BCRYPT_COST = 12;
/** Lower for recovery codes: ten are hashed at once, and their 40 random bits are more than most passwords have. */
const RECOVERY_CODE_COST = 10;
/** The stored hash of an account without a password; it matches no password. */
export const NO_PASSWORD_HASH = '';
const IDLE_TIMEOUT_MS = 30_000;
/** About 16 seconds of work. */
const QUEUE_MAX_PER_THREAD = 64;
const RETRY_AFTER_S = 5;
/** Salt and digest of a hash that matches no known password. It is compared if the account or its password does not exist. */
const DUMMY_SALT_AND_DIGEST = 'N0passw0rdHasThisHashAndN0neWi11EverHaveItS0itIsSafe.';

export type PasswordPool = ReturnType<typeof createPasswordPool>;

/**
 * Creates a pool that hashes passwords and estimates their strength in worker threads (one fewer than CPU cores), so that other
 * requests are not delayed. The networks of the callers take turns. Waiting work of a client that disconnects is dropped;
 * beyond the maximum of waiting work, calls reject with `busy`. `cost`: the base 2 logarithm of the bcrypt rounds.
 */
export function createPasswordPool({ cost = BCRYPT_COST, queueMaxPerThread = QUEUE_MAX_PER_THREAD } = {}) {
  const threads = Math.max(1, availableParallelism() - 1);
  const pool = new Piscina<PasswordTask, PasswordResult>({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_TIMEOUT_MS,
  });
  const queue = createFairQueue({
    concurrency: threads,
    queueMax: threads * queueMaxPerThread,
    retryAfterSeconds: RETRY_AFTER_S,
  });
  const run = (task: PasswordTask, { client, signal }: Caller) =>
    queue.run(networksOf(client).toReversed(), () => pool.run(task), signal);
  const dummyHash = `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT_AND_DIGEST}`;

  return {
    hash: async (password: string, caller: Caller): Promise<string> =>
      String(await run({ kind: 'hash', password, cost }, caller)),
    /** Hashes recovery codes, all with the same new salt. */
    hashCodes: async (codes: readonly string[], caller: Caller): Promise<readonly string[]> => {
      const task = { kind: 'hashCodes', codes, cost: Math.min(cost, RECOVERY_CODE_COST) } as const;
      return (await run(task, caller)) as readonly string[];
    },
    /** Hashes a recovery code with the salt of `hash`, so that both can be compared. */
    hashCodeLike: async (code: string, hash: string, caller: Caller): Promise<string> =>
      String(await run({ kind: 'hashCodeLike', code, hash }, caller)),
    /** Whether `password` matches `hash`. Without a hash it takes the same time and returns false. */
    verify: async (password: string, hash: string | null, caller: Caller): Promise<boolean> => {
      const isRight = await run({ kind: 'verify', password, hash: hash || dummyHash }, caller);
      return isRight === true && Boolean(hash);
    },
    /** Whether `hash` has a different cost from that of new hashes. */
    isOutdated: (hash: string): boolean => hash !== NO_PASSWORD_HASH && bcrypt.getRounds(hash) !== cost,
    /** The estimated strength of a password, from 0 to 4, against an attacker who also tries `words`. */
    estimate: async (password: string, words: readonly string[], caller: Caller): Promise<number> =>
      Number(await run({ kind: 'estimate', password, words }, caller)),
    /** The number of waiting calls. */
    waiting: () => queue.waiting(),
    close: () => pool.close(),
  };
}
