import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openPostgres } from '#api/db/client.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { acceptsConnections } from '#api/testing/servers/postgres-server.ts';
import { giveToPrograms, type Program, runProgram, startProgram } from './programs.ts';
import { until } from './waiting.ts';

const USER = 'postgres';
const STANDBY_NAME = 'standby';
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=150',
  // A commit returns once the standby has applied it and its reads see it.
  'synchronous_commit=remote_apply',
];

const urlAt = (port: number) => `postgres://${USER}@127.0.0.1:${port}/postgres`;

/** A primary and its standby, which confirms each commit. After a failover the standby is the primary. */
export class PostgresPair {
  readonly #folder: string;
  readonly #ports: { primary: number; standby: number };
  readonly #programs: Program[] = [];
  #isPromoted = false;

  private constructor(folder: string, ports: { primary: number; standby: number }) {
    this.#folder = folder;
    this.#ports = ports;
  }

  /** Starts both servers with empty databases in `folder`, and waits until the standby confirms commits. */
  static async start(folder: string): Promise<PostgresPair> {
    const pair = new PostgresPair(folder, { primary: await freePort(), standby: await freePort() });
    try {
      await pair.#setUp();
    } catch (error) {
      await pair.stop();
      throw error;
    }
    return pair;
  }

  /** The port of the primary. */
  get port(): number {
    return this.#isPromoted ? this.#ports.standby : this.#ports.primary;
  }

  get url(): string {
    return urlAt(this.port);
  }

  /** The standby, which is read-only until it is promoted. */
  get standbyUrl(): string {
    return urlAt(this.#ports.standby);
  }

  async #setUp(): Promise<void> {
    const [primary, standby] = [join(this.#folder, 'primary'), join(this.#folder, 'standby')];
    for (const data of [primary, standby]) {
      await mkdir(data, { mode: 0o700 });
      await giveToPrograms(data);
    }
    const initdb = ['-D', primary, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-sync'];
    await runProgram('initdb', initdb, primary);
    await this.#serve(primary, this.#ports.primary);
    const source = `host=127.0.0.1 port=${this.#ports.primary} user=${USER} application_name=${STANDBY_NAME}`;
    const backup = ['-D', standby, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await runProgram('pg_basebackup', backup, standby);
    await this.#serve(standby, this.#ports.standby);
    await this.inspect(async ({ sql }) => {
      await sql.unsafe(`alter system set synchronous_standby_names = '${STANDBY_NAME}'`);
      await sql`select pg_reload_conf()`;
      await until(async () => {
        const [row] = await sql<[{ state: string }?]>`select sync_state as state from pg_stat_replication`;
        return row?.state === 'sync';
      }, 'The standby does not confirm commits.');
    });
  }

  async #serve(data: string, port: number): Promise<void> {
    const args = [...SETTINGS, `port=${port}`].flatMap((setting) => ['-c', setting]);
    const server = startProgram('postgres', ['-D', data, ...args], data);
    this.#programs.push(server);
    await until(
      () => acceptsConnections(urlAt(port)),
      () => `PostgreSQL does not accept connections:\n${server.output()}`,
    );
  }

  /** Queries the primary. */
  async inspect<Result>(query: (db: Database) => Promise<Result>): Promise<Result> {
    const db = openPostgres(this.url, { connections: 2 });
    return query(db).finally(() => db.close());
  }

  /** Ends the primary with `kill -9`. */
  async killPrimary(): Promise<void> {
    await this.#programs[0]?.end('SIGKILL');
  }

  /** Makes the standby the primary. It has no setting `synchronous_standby_names`, so it confirms commits without a standby. */
  async promote(): Promise<void> {
    const db = openPostgres(this.standbyUrl, { connections: 1 });
    await db.sql`select pg_promote(true)`.finally(() => db.close());
    this.#isPromoted = true;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.toReversed().map((program) => program.end('SIGQUIT')));
  }
}
