import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { PasswordTask } from './password-worker.ts';

/** Each step up doubles the work; 12 takes about a quarter of a second. */
const BCRYPT_COST = 12;
const IDLE_TIMEOUT_MS = 30_000;
/** Salt and digest for comparisons without an account; no password is known for them. */
const DUMMY_SALT_AND_DIGEST = 'N0passw0rdHasThisHashAndN0neWi11EverHaveItS0itIsSafe.';

export type PasswordPool = ReturnType<typeof createPasswordPool>;

/**
 * Hashes passwords in worker threads, one fewer than cores, so that requests are not delayed. `cost` is the base 2 logarithm of
 * the rounds.
 */
export function createPasswordPool({ cost = BCRYPT_COST } = {}) {
  const pool = new Piscina<PasswordTask, string | boolean>({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: Math.max(1, availableParallelism() - 1),
    idleTimeout: IDLE_TIMEOUT_MS,
  });
  const dummyHash = `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT_AND_DIGEST}`;

  return {
    hash: async (password: string): Promise<string> =>
      String(await pool.run({ kind: 'hash', password, cost })),
    /** Whether `password` matches `hash`. A null hash takes the same time and never matches. */
    verify: async (password: string, hash: string | null): Promise<boolean> => {
      const isRight = await pool.run({ kind: 'verify', password, hash: hash ?? dummyHash });
      return isRight === true && hash !== null;
    },
    close: () => pool.close(),
  };
}
