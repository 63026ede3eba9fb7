import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { type Database, openPostgres } from '#api/db/client.ts';
import { migratePostgres } from '#api/db/migrate.ts';
import { sweepImages, sweepIncoming } from '#api/housekeeping/image-sweep.ts';
import { fileNames, IMAGE_PATH_PREFIX } from '#api/images/image-store.ts';
import { createFolderStorage } from '#api/storage/folder-storage.ts';
import { imageFolders } from '#api/storage/open-image-storage.ts';
import { brokenImages, brokenRules, storedFiles } from '#api/testing/invariants.ts';
import type { PostgresServer } from '#api/testing/servers/postgres-server.ts';
import {
  createServerData,
  type ServerData,
  type ServerProcess,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';
import { type Answer, AnswerBook, type Change, initOf, type Person, readAnswer } from './changes.ts';
import { readSamples, type Sample, samplingEnv } from './samples.ts';

const READY_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 10;
const ENV = { RATE_LIMITS: 'off', OWNER_PASSWORD: 'a password for the owner', LOG_LEVEL: 'warn' };

/** A server process with data of its own, and all that it has answered to keyed changes. */
export class Stage {
  readonly kind = inject('testDatabase').kind;
  #data: ServerData;
  readonly #answers = new AnswerBook();
  #server: ServerProcess | null = null;
  #isEnding = false;
  /** What a kill leaves in the folders of images is for the sweep. */
  #mayHaveLeftFiles = false;
  /** Polls that a test has deleted. */
  readonly deletedPolls: string[] = [];

  constructor(data: ServerData) {
    this.#data = data;
  }

  get dataDir(): string {
    return this.#data.env.DATA_DIR ?? '';
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error('The server is not running.');
    return this.#server;
  }

  /** Starts the server. Returns the milliseconds until it was ready. */
  async start(env: Record<string, string> = {}): Promise<number> {
    const startedMs = performance.now();
    const server = await startServerProcess({
      ...this.#data.env,
      ...ENV,
      ...samplingEnv(this.dataDir),
      ...env,
    });
    this.#server = server;
    this.#isEnding = false;
    let hasEnded = false;
    server.exited.then(() => (hasEnded = true));
    for (;;) {
      const answer = await fetch(`${server.address}/api/ready`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok) return performance.now() - startedMs;
      if (hasEnded || performance.now() - startedMs > READY_WITHIN_MS) {
        throw new Error(`The server did not become ready: ${server.stderr()}`);
      }
      await sleep(POLL_EVERY_MS);
    }
  }

  /** Uses a PostgreSQL of its own from now on, which may be killed and goes with the stage. */
  async moveTo(postgres: PostgresServer): Promise<void> {
    const { env, remove } = this.#data;
    this.#mayHaveLeftFiles = true;
    this.#data = {
      env: { ...env, DATABASE_URL: postgres.url },
      inspect: async (look) => {
        const db = openPostgres(postgres.url, { connections: 2 });
        return look(db).finally(() => db.close());
      },
      remove: () => remove().finally(postgres.stop),
    };
    await migratePostgres(postgres.url);
  }

  async kill(): Promise<void> {
    this.#isEnding = true;
    this.#mayHaveLeftFiles = true;
    this.server.child.kill('SIGKILL');
    await this.server.exited;
  }

  /** Ends the server as an administrator would. Returns its exit code. */
  async stop(): Promise<number | null> {
    this.#isEnding = true;
    this.server.child.kill('SIGTERM');
    return this.server.exited;
  }

  /** What the server has measured of itself since it started: see `sample-server.ts`. */
  samples(): Promise<Sample[]> {
    return readSamples(this.dataDir);
  }

  /** Looks at the database; while the server runs, only a PostgreSQL can be looked at. */
  inspect<Result>(look: (db: Database) => Promise<Result>): Promise<Result> {
    return this.#data.inspect(look);
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    return readAnswer(await fetch(this.server.address + path, init));
  }

  get(path: string, person?: Person): Promise<Answer> {
    return this.request(path, person === undefined ? {} : { headers: { Cookie: person.cookie } });
  }

  post(path: string, body: unknown, person?: Person, method = 'POST'): Promise<Answer> {
    const cookie = person === undefined ? {} : { Cookie: person.cookie };
    const headers = { 'Content-Type': 'application/json', ...cookie };
    return this.request(path, { method, headers, body: JSON.stringify(body) });
  }

  /** Sends a change once; null when the connection was lost. */
  async send(change: Change): Promise<Answer | null> {
    const answer = await this.request(change.path, initOf(change)).catch(() => null);
    if (answer === null) this.#failUnlessKilled();
    if (answer !== null) this.#answers.note(change, answer);
    return answer;
  }

  /** A server that ended by itself would be asked for ever. */
  #failUnlessKilled(): void {
    const { child, stderr, stdout } = this.server;
    const { exitCode, signalCode } = child;
    if (this.#isEnding || (exitCode === null && signalCode === null)) return;
    throw new Error(`The server ended with ${exitCode ?? signalCode}: ${stderr()}${stdout().slice(-2_000)}`);
  }

  /** Sends a change again, when the server says so, for as long as it is too busy. */
  async sendUntilAnswered(change: Change): Promise<Answer> {
    for (;;) {
      const answer = await this.send(change);
      if (answer === null) throw new Error(`${change.path} got no answer`);
      if (answer.status !== 503 && answer.code !== 'in_flight') return answer;
      const seconds = Number(answer.headers.get('Retry-After') ?? 0);
      await sleep(seconds * 1_000 * (1 + Math.random()));
    }
  }

  /** Ends the server and returns everything that must hold and does not. */
  async findViolations(): Promise<string[]> {
    const violations: string[] = [];
    if (this.#server !== null && !this.#isEnding) {
      const { stderr } = this.server;
      const code = await this.stop();
      if (code !== 0) violations.push(`the server ended with ${code}: ${stderr()}`);
    }
    violations.push(...this.#answers.differences());
    await this.inspect(async (db) => {
      violations.push(...(await brokenRules(db, this.deletedPolls)));
      violations.push(...(await this.#answers.lostReceipts(db)), ...(await this.#wrongFiles(db)));
    });
    return violations;
  }

  async #wrongFiles(db: Database): Promise<string[]> {
    const { published, incoming } = imageFolders(this.dataDir);
    if (this.#mayHaveLeftFiles) {
      await sweepIncoming(incoming, 0);
      await sweepImages(await createFolderStorage({ published, incoming }), db);
    }
    const paths = await db.sql<{ path: string }[]>`
      select option1_image as path from polls union all select option2_image from polls`;
    const owned = new Set(paths.flatMap(({ path }) => fileNames(path.slice(IMAGE_PATH_PREFIX.length))));
    const orphans = (await storedFiles(published)).filter((file) => !owned.has(file));
    const broken = await brokenImages(db, published);
    return [
      ...orphans.map((file) => `the file ${file} belongs to no poll`),
      ...(await readdir(incoming)).map((file) => `the upload ${file} was left`),
      ...broken.filter((path) => path.startsWith(IMAGE_PATH_PREFIX)).map((path) => `${path} does not decode`),
    ];
  }

  remove(): Promise<void> {
    return this.#data.remove();
  }
}

export async function createStage(): Promise<Stage> {
  return new Stage(await createServerData());
}
