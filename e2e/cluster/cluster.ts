import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Database } from '#api/db/client.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import {
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
} from '#e2e/hard/changes.ts';
import { hasExited } from '#scripts/run/children.ts';
import { Bouncer } from './bouncer.ts';
import { LiveClient } from './live-client.ts';
import { Nginx } from './nginx.ts';
import { PostgresPair } from './postgres-pair.ts';
import { giveToPrograms } from './programs.ts';

const PROCESSES = 3;
/** The app's timeout for a vote. */
const REQUEST_TIMEOUT_MS = 15_000;
const ENV = { RATE_LIMITS: 'off', OWNER_PASSWORD: 'a password for the owner', LOG_LEVEL: 'warn' };

/** Environment variables for the server processes, which can refer to other parts of the cluster. */
export type ClusterEnv = (parts: Pick<Cluster, 'bouncer'>) => Record<string, string>;

/** Several server processes in a complete deployment, and a record of their responses to keyed changes. */
export class Cluster {
  readonly postgres: PostgresPair;
  readonly bouncer: Bouncer;
  readonly nginx: Nginx;
  readonly #folder: string;
  readonly #ports: readonly number[];
  readonly #env: Record<string, string>;
  readonly #processes: ServerProcess[] = [];
  readonly #responses = new ResponseLog();
  readonly #clients: LiveClient[] = [];

  private constructor(
    folder: string,
    parts: { postgres: PostgresPair; bouncer: Bouncer; nginx: Nginx },
    ports: readonly number[],
    env: Record<string, string>,
  ) {
    this.#folder = folder;
    this.postgres = parts.postgres;
    this.bouncer = parts.bouncer;
    this.nginx = parts.nginx;
    this.#ports = ports;
    this.#env = {
      ...ENV,
      DATA_DIR: this.dataDir,
      TMPDIR: folder,
      DATABASE_URL: parts.bouncer.transactionUrl,
      DATABASE_DIRECT_URL: parts.bouncer.sessionUrl,
      DATABASE_REPLICA_URL: parts.postgres.standbyUrl,
      PUBLIC_URL: parts.nginx.address,
      TRUST_PROXY: '1',
      ...env,
    };
  }

  /** Starts the whole cluster, with `env` in addition to the default environment of the server processes. */
  static async start(env: ClusterEnv): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'this-or-that-cluster-'));
    await chmod(folder, 0o755);
    for (const name of ['postgres', 'bouncer', 'nginx']) {
      await mkdir(join(folder, name));
      await giveToPrograms(join(folder, name));
    }
    const started: { stop(): Promise<unknown> }[] = [];
    const stopOnFailure = <Part extends { stop(): Promise<unknown> }>(part: Part): Part => {
      started.unshift(part);
      return part;
    };
    try {
      const ports: number[] = [];
      while (ports.length < PROCESSES) ports.push(await freePort());
      const postgres = stopOnFailure(await PostgresPair.start(join(folder, 'postgres')));
      const bouncer = stopOnFailure(await Bouncer.start(join(folder, 'bouncer'), postgres.port));
      const nginx = stopOnFailure(await Nginx.start(join(folder, 'nginx'), ports));
      const cluster = new Cluster(folder, { postgres, bouncer, nginx }, ports, env({ bouncer }));
      stopOnFailure({ stop: () => cluster.#stopProcesses() });
      for (const index of ports.keys()) await cluster.startProcess(index);
      return cluster;
    } catch (error) {
      for (const part of started) await part.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  get ports(): readonly number[] {
    return this.#ports;
  }

  process(index: number): ServerProcess {
    const server = this.#processes[index];
    if (server === undefined) throw new Error(`There is no process ${index}.`);
    return server;
  }

  /** Starts a server process. Returns the milliseconds until it was ready. */
  async startProcess(index: number): Promise<number> {
    const startedMs = performance.now();
    const server = await startServerProcess({ ...this.#env, PORT: String(this.#ports[index]) });
    this.#processes[index] = server;
    await waitUntilReady(server);
    return performance.now() - startedMs;
  }

  /** Ends a server process. Returns its exit code, null after a kill. */
  async endProcess(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child, exited } = this.process(index);
    child.kill(signal);
    return exited;
  }

  /** Sends a request through the load balancer. */
  async request(path: string, init: RequestInit = {}): Promise<ApiResponse> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    return readResponse(await fetch(this.nginx.address + path, { ...init, signal }));
  }

  /** Sends a change once through the load balancer; null if the connection was lost or there was no response in time. */
  async send(change: Change): Promise<ApiResponse | null> {
    const response = await this.request(change.path, requestInit(change)).catch(() => null);
    if (response !== null) this.#responses.record(change, response);
    return response;
  }

  /** Opens the live updates of a user through the load balancer. */
  async listen(user: TestUser): Promise<LiveClient> {
    const client = new LiveClient(this.nginx.address, user);
    this.#clients.push(client);
    await client.waitUntilOpen();
    return client;
  }

  /** Queries the primary. */
  inspect<Result>(query: (db: Database) => Promise<Result>): Promise<Result> {
    return this.postgres.inspect(query);
  }

  /** Stops the server processes and returns all violations of invariants. */
  async findViolations(): Promise<string[]> {
    // The images are fetched while the server processes still run.
    const damaged = await this.#damagedImages();
    const violations = [...(await this.#stopProcesses()), ...this.#responses.differences(), ...damaged];
    await this.inspect(async (db) => {
      violations.push(...(await violatedInvariants(db)), ...(await this.#responses.lostReceipts(db)));
    });
    return violations;
  }

  /** Images of polls other than samples that cannot be fetched through the load balancer or decoded. */
  async #damagedImages(): Promise<string[]> {
    const rows = await this.inspect(
      ({ sql }) => sql<{ path: string }[]>`
        select option1_image as path from polls where not is_sample
        union all select option2_image from polls where not is_sample`,
    );
    const damaged: string[] = [];
    for (const { path } of rows) {
      const response = await fetch(this.nginx.address + path);
      const decoded = await sharp(await response.arrayBuffer())
        .stats()
        .catch(() => null);
      if (decoded === null) damaged.push(`${path} does not decode: ${response.status}`);
    }
    return damaged;
  }

  /** Closes the live clients, and stops the server processes with SIGTERM. Returns a violation for each exit code other than 0. */
  async #stopProcesses(): Promise<string[]> {
    for (const client of this.#clients) client.close();
    const stopping = this.#processes.map(async ({ child, exited, stdout, stderr }, index) => {
      if (hasExited(child)) return [];
      child.kill('SIGTERM');
      const code = await exited;
      return code === 0 ? [] : [`process ${index} exited with ${code}: ${stderr()}${stdout().slice(-1_000)}`];
    });
    return (await Promise.all(stopping)).flat();
  }

  async remove(): Promise<void> {
    await this.#stopProcesses();
    await this.nginx.stop();
    await this.bouncer.stop();
    await this.postgres.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
