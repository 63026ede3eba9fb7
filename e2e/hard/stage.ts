import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openPostgres } from '#api/db/client.ts';
import { migratePostgres } from '#api/db/migrate.ts';
import { sweepImages, sweepIncoming } from '#api/housekeeping/file-sweep.ts';
import { createFolderStorage } from '#api/storage/folder-storage.ts';
import { imageFolders } from '#api/storage/open-image-storage.ts';
import { damagedImages, orphanedFiles, violatedInvariants } from '#api/testing/invariants.ts';
import type { PostgresServer } from '#api/testing/servers/postgres-server.ts';
import {
  createServerData,
  type ServerData,
  type ServerProcess,
  startServerProcess,
  waitUntilReady,
} from '#api/testing/servers/server-process.ts';
import {
  type ApiResponse,
  type Change,
  ResponseLog,
  readResponse,
  requestInit,
  type TestUser,
} from './changes.ts';
import { readSamples, type Sample, samplingEnv } from './samples.ts';

const ENV = { RATE_LIMITS: 'off', OWNER_PASSWORD: 'a password for the owner', LOG_LEVEL: 'warn' };

/** A server process with its own data, and a record of its responses to keyed changes. */
export class Stage {
  #data: ServerData;
  readonly #responses = new ResponseLog();
  #server: ServerProcess | null = null;
  /** Whether the test has stopped or killed the server since its last start. */
  #isExitExpected = false;
  /** Whether a kill may have left files for the sweep. */
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
    this.#server = await startServerProcess({
      ...this.#data.env,
      ...ENV,
      ...samplingEnv(this.dataDir),
      ...env,
    });
    this.#isExitExpected = false;
    await waitUntilReady(this.#server);
    return performance.now() - startedMs;
  }

  /** Switches to a PostgreSQL server that the test may kill; `remove` stops it. */
  async switchToPostgres(postgres: PostgresServer): Promise<void> {
    const { env, remove } = this.#data;
    // Killing PostgreSQL is not noticed here, but may leave files as well.
    this.#mayHaveLeftFiles = true;
    this.#data = {
      env: { ...env, DATABASE_URL: postgres.url },
      inspect: async (query) => {
        const db = openPostgres(postgres.url, { connections: 2 });
        return query(db).finally(() => db.close());
      },
      remove: () => remove().finally(postgres.stop),
    };
    await migratePostgres(postgres.url);
  }

  async kill(): Promise<void> {
    this.#isExitExpected = true;
    this.#mayHaveLeftFiles = true;
    this.server.child.kill('SIGKILL');
    await this.server.exited;
  }

  /** Stops the server with SIGTERM. Returns its exit code. */
  async stop(): Promise<number | null> {
    this.#isExitExpected = true;
    this.server.child.kill('SIGTERM');
    return this.server.exited;
  }

  /** The measurements of memory, decoding and CPU time that the server has written since its first start (`write-samples.ts`). */
  samples(): Promise<Sample[]> {
    return readSamples(this.dataDir);
  }

  /** Queries the database; the embedded database only while the server is stopped. */
  inspect<Result>(query: (db: Database) => Promise<Result>): Promise<Result> {
    return this.#data.inspect(query);
  }

  async request(path: string, init: RequestInit = {}): Promise<ApiResponse> {
    return readResponse(await fetch(this.server.address + path, init));
  }

  get(path: string, user?: TestUser): Promise<ApiResponse> {
    return this.request(path, user === undefined ? {} : { headers: { Cookie: user.cookie } });
  }

  sendJson(method: 'POST' | 'PATCH', path: string, body: unknown, user?: TestUser): Promise<ApiResponse> {
    const cookie = user === undefined ? {} : { Cookie: user.cookie };
    const headers = { 'Content-Type': 'application/json', ...cookie };
    return this.request(path, { method, headers, body: JSON.stringify(body) });
  }

  /** Sends a change once; null when the connection was lost. */
  async send(change: Change): Promise<ApiResponse | null> {
    const response = await this.request(change.path, requestInit(change)).catch(() => null);
    if (response === null) this.#throwIfCrashed();
    if (response !== null) this.#responses.record(change, response);
    return response;
  }

  /** Throws if the server has exited by itself: callers that send their changes until they get a response would never end. */
  #throwIfCrashed(): void {
    const { child, stderr, stdout } = this.server;
    const { exitCode, signalCode } = child;
    if (this.#isExitExpected || (exitCode === null && signalCode === null)) return;
    throw new Error(`The server exited with ${exitCode ?? signalCode}: ${stderr()}${stdout().slice(-2_000)}`);
  }

  /** Sends a change, and retries it after `Retry-After` while the server is too busy or processes an earlier attempt. */
  async sendWithRetries(change: Change): Promise<ApiResponse> {
    for (;;) {
      const response = await this.send(change);
      if (response === null) throw new Error(`${change.path} got no response`);
      if (response.status !== 503 && response.code !== 'in_flight') return response;
      const seconds = Number(response.headers.get('Retry-After') ?? 0);
      await sleep(seconds * 1_000 * (1 + Math.random()));
    }
  }

  /** Stops the server and returns all violations of invariants. */
  async findViolations(): Promise<string[]> {
    const violations: string[] = [];
    if (this.#server !== null && !this.#isExitExpected) {
      const { stderr } = this.server;
      const code = await this.stop();
      if (code !== 0) violations.push(`the server exited with ${code}: ${stderr()}`);
    }
    violations.push(...this.#responses.differences());
    await this.inspect(async (db) => {
      violations.push(...(await violatedInvariants(db, this.deletedPolls)));
      violations.push(...(await this.#responses.lostReceipts(db)), ...(await this.#wrongFiles(db)));
    });
    return violations;
  }

  async #wrongFiles(db: Database): Promise<string[]> {
    const { published, incoming } = imageFolders(this.dataDir);
    if (this.#mayHaveLeftFiles) {
      await sweepIncoming(incoming, 0);
      await sweepImages(await createFolderStorage({ published, incoming }), db);
    }
    return [
      ...(await orphanedFiles(db, published)).map((file) => `the file ${file} belongs to no poll`),
      ...(await readdir(incoming)).map((file) => `the upload ${file} remained`),
      ...(await damagedImages(db, published)).map((path) => `${path} does not decode`),
    ];
  }

  remove(): Promise<void> {
    return this.#data.remove();
  }
}

export async function createStage(): Promise<Stage> {
  return new Stage(await createServerData());
}
