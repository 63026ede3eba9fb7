import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { expect, inject } from 'vitest';
import { createAdminJobRunner } from '#api/admin/jobs/admin-job-runner.ts';
import { type App, createApp } from '#api/app.ts';
import { createJobDeps } from '#api/create-deps.ts';
import type { Database } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { type Env, readEnv } from '#api/env.ts';
import { respondWithError, toAppError } from '#api/http/error-mapping.ts';
import { createLimits, type Limit, type Limits } from '#api/http/limits/limits.ts';
import { findOpenSessions } from '#api/http/session/sessions.ts';
import { createSampleImages } from '#api/images/sample-images.ts';
import { createLiveHub } from '#api/live/live-hub.ts';
import { createPasswordPool } from '#api/passwords/password-pool.ts';
import type { User } from '#shared/accounts/schema.ts';
import { errorCodesOf } from '#shared/contract.ts';
import { afterEachTest, afterTests } from './servers/after-tests.ts';
import { createTestDatabase } from './servers/database.ts';
import { TestClient } from './test-client.ts';

/** The lowest cost that bcrypt accepts. */
const TEST_PASSWORD_COST = 4;

/** Shared by all test files of a process: starting a thread and loading its word lists takes a third of a second. */
const passwords = createPasswordPool({ cost: TEST_PASSWORD_COST, queueMaxPerThread: 1_000 });

type TestAppOptions = {
  /** The settings that differ from the default configuration. */
  env?: Partial<Env>;
  /** Off by default. */
  rateLimits?: boolean;
  log?: Logger;
  /** Replaces the cache of lists, for example by one with a fake clock. */
  listCache?: Deps['listCache'];
  replica?: Deps['replica'];
  /** Replaces the new database; closed by its creator. */
  db?: Database;
};

export type TestUser = TestClient & { user: User; password: string };

export type TestApp = {
  app: App;
  deps: Deps;
  db: Database;
  /** A browser without a session. */
  visitor(): TestClient;
  /** A browser with a new account, logged in by a real sign-up. */
  signUp(fields?: { username?: string; email?: string; referralCode?: string }): Promise<TestUser>;
};

/**
 * Creates the app with its own database and an empty `DATA_DIR`. Both are removed after the file's tests, or after the test that
 * calls it.
 */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'this-or-that-data-'));
  const db = options.db ?? (await createTestDatabase());
  const env: Env = {
    ...readEnv({ DATA_DIR: dataDir, RATE_LIMITS: options.rateLimits ? 'on' : 'off' }),
    ...options.env,
  };
  const { replica = null, log = pino({ level: 'silent' }) } = options;
  const parts = await createJobDeps(env, { db, replica, log, passwords });
  if (options.listCache !== undefined) parts.listCache = options.listCache;
  parts.samples = createSampleImages(inject('samplesDataDir'), {
    imagePipeline: parts.imagePipeline,
    incomingFolder: parts.images.incomingFolder,
  });
  parts.live = createLiveHub({
    limited: env.rateLimits,
    findOpenSessions: (hashes) => findOpenSessions(db, hashes),
    onError: (error) => {
      throw error;
    },
  });
  // Queued mails, push messages and exports are processed only when a test calls `runDue`.
  for (const runner of [parts.mails, parts.pushes, parts.exports]) runner.wake = () => {};
  // Runs jobs when it is woken, but does not look for them at intervals.
  const deps: Deps = { ...parts, jobs: createAdminJobRunner(parts) };
  const app = createApp(deps);
  failOnUndocumentedErrors(app);

  afterTests(async () => {
    await deps.jobs.stop();
    if (options.db === undefined) await db.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  let accountCount = 0;
  const visitor = () => new TestClient(app, env.publicUrl);
  return {
    app,
    deps,
    db,
    visitor,
    signUp: async (fields = {}) => {
      accountCount += 1;
      const client = visitor();
      const username = fields.username ?? `user${accountCount}`;
      const password = `correct horse ${accountCount}`;
      const response = await client.post('/api/register', {
        email: `${username}@example.org`,
        ...fields,
        username,
        password,
      });
      if (response.status !== 201)
        throw new Error(`The account was not created: ${response.status} ${await response.text()}`);
      const user: User = await response.json();
      return Object.assign(client, { user, password });
    },
  };
}

/** Fails each test in which a call responds with an error code that its contract does not list. */
function failOnUndocumentedErrors(app: App): void {
  const undocumented: string[] = [];
  app.onError((error, c) => {
    const { call } = c.var;
    const { code } = toAppError(error);
    if (call && !errorCodesOf(call).has(code)) undocumented.push(`${call.method} ${call.path}: ${code}`);
    return respondWithError(error, c);
  });
  afterEachTest(() => expect(undocumented.splice(0)).toEqual([]));
}

export type LimitedClient = { client: TestClient; limits: Limits };

/**
 * The browser of `user`, connected to another process on the same database. That process has rate limits, and has counted no calls
 * yet. `parts` replace the dependencies of the same name.
 */
export function limitedClient(
  { deps, db }: TestApp,
  user: TestUser,
  parts: Partial<TestApp['deps']> = {},
): LimitedClient {
  const limits = createLimits(db, { enabled: true });
  const client = new TestClient(createApp({ ...deps, limits, ...parts }), deps.env.publicUrl);
  for (const [name, value] of user.cookies) client.cookies.set(name, value);
  return { client, limits };
}

/** Like the app's `passwords`, but after the first check of a password the stored hash of the user is renewed, as by a login. */
export function renewingHash(
  { db, deps: { passwords } }: TestApp,
  { user, password }: TestUser,
): Deps['passwords'] {
  let checks = 0;
  return {
    ...passwords,
    async verify(...args) {
      const isRight = await passwords.verify(...args);
      checks += 1;
      if (checks > 1) return isRight;
      const renewed = await passwords.hash(password, { client: '203.0.113.1' });
      await db.sql`update users set password_hash = ${renewed} where id = ${user.id}`;
      return isRight;
    },
  };
}

/** Uses up `limit` for `key`, except for `callsLeft` calls. */
export async function useUp(limit: Limit, key: string | number, { callsLeft = 0 } = {}): Promise<void> {
  const undos: (() => Promise<void>)[] = [];
  for (;;) {
    const { delayS, undo } = await limit.count(key);
    undos.unshift(undo);
    if (delayS > 0) break;
  }
  // The latest call exceeded the limit; `callsLeft` more of the calls before it may be made again.
  for (const undo of undos.slice(0, callsLeft + 1)) await undo();
}
