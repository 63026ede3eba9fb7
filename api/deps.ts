import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import type { Env } from './env.ts';
import type { Limits } from './services/limits.ts';
import type { PasswordPool } from './services/password-pool.ts';

/** Everything that the application needs from outside. */
export type Deps = {
  env: Env;
  db: Database;
  log: Logger;
  limits: Limits;
  passwords: PasswordPool;
  /** Turned on when the process begins to shut down: readiness goes, work under way is finished. */
  lifecycle: { isStopping: boolean };
  /** The version in package.json. */
  version: string;
};
