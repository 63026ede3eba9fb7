import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#api/testing/servers/free-port.ts';
import { giveToPrograms, type Program, startProgram } from './programs.ts';
import { isListening, until } from './waiting.ts';

/** PgBouncer with a pool in transaction mode for requests, and a pool in session mode for dedicated connections. */
export class Bouncer {
  readonly #folder: string;
  readonly #port: number;
  #program: Program | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(folder: string, databasePort: number): Promise<Bouncer> {
    const bouncer = new Bouncer(folder, await freePort());
    await bouncer.#configure(databasePort);
    await bouncer.restart();
    return bouncer;
  }

  /** The URL of the pool in transaction mode, in which Debian 12's PgBouncer does not support prepared statements. */
  get transactionUrl(): string {
    return `postgres://polls@127.0.0.1:${this.#port}/polls?prepare=false`;
  }

  /** The URL of the pool in session mode. */
  get sessionUrl(): string {
    return `postgres://polls@127.0.0.1:${this.#port}/polls_direct`;
  }

  get #file(): string {
    return join(this.#folder, 'pgbouncer.ini');
  }

  async #configure(databasePort: number): Promise<void> {
    const target = `host=127.0.0.1 port=${databasePort} dbname=postgres user=postgres connect_query='set statement_timeout = 10000; set lock_timeout = 4000'`;
    await writeFile(
      this.#file,
      `[databases]
polls = ${target} pool_mode=transaction pool_size=20
polls_direct = ${target} pool_mode=session pool_size=40
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${this.#port}
unix_socket_dir =
auth_type = any
max_client_conn = 500
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout
server_connect_timeout = 2
server_login_retry = 0.2
query_wait_timeout = 3
`,
    );
    await giveToPrograms(this.#file);
  }

  /** Redirects all connections to the database server at another port. */
  async pointAt(databasePort: number): Promise<void> {
    await this.#configure(databasePort);
    this.#program?.child.kill('SIGHUP');
  }

  /** Ends PgBouncer with `kill -9`. */
  async kill(): Promise<void> {
    await this.#program?.end('SIGKILL');
  }

  /** Starts PgBouncer, for the first time or after a kill. */
  async restart(): Promise<void> {
    const program = startProgram('pgbouncer', [this.#file], this.#folder);
    this.#program = program;
    await until(
      () => isListening(this.#port),
      () => `PgBouncer does not listen:\n${program.output()}`,
    );
  }

  async stop(): Promise<void> {
    await this.#program?.end('SIGTERM');
  }
}
