import type { PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { STALLED_AFTER_MS } from './batcher.ts';
import { isReadOnly } from './database-error.ts';
import { startEmbedded } from './embedded/embedded.ts';
import { createDedicatedConnection, type DedicatedConnection } from './postgres/dedicated-connection.ts';
import { createPoolSockets } from './postgres/pool-sockets.ts';
import { tlsOf } from './postgres/postgres-tls.ts';
import { watchSilence } from './postgres/watch-silence.ts';
import { retryLost } from './retry-lost.ts';
import { createRowMapper } from './row-mapper.ts';

const CONNECT_TIMEOUT_S = 3;
const RECONNECT_DELAY_S = 0.2;
const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 4_000;
const POOL_CONNECTIONS = 8;
/** Without a limit, the driver would wait for connections that the server has cut during a query. */
const CLOSE_TIMEOUT_S = 2;

/** The minimum time between two checks of whether the server accepts changes again. */
const WRITABLE_CHECK_INTERVAL_MS = 1_000;

/** The driver's default: no custom types. */
type CustomTypes = postgres.Sql extends postgres.Sql<infer Types> ? Types : never;

/**
 * A database or a transaction: Drizzle's builder for ordinary queries (`orm`), tagged SQL for those it cannot express well
 * (`sql`).
 *
 * Drizzle replaces the driver's date parsers and JSON serialisers: a timestamp comes back as the database's
 * text (see `toIsoDate`), and a `Date` or an object is not serialised (pass `toISOString()`, `JSON.stringify`).
 */
export type Handle = { readonly sql: postgres.ISql<CustomTypes>; readonly orm: PostgresJsDatabase };

export type Database = Handle & {
  readonly kind: 'postgres' | 'embedded';
  readonly sql: postgres.Sql;
  /** Connections for the queries that run most often. The embedded database has one connection for everything. */
  readonly dedicated: Readonly<Record<'reads' | 'votes', DedicatedConnection<Handle>>>;
  /**
   * To be called with the errors of queries. After a failover, some connections may lead to a server that has become read-only.
   * If an error shows this and a new connection accepts changes, all other connections are cut.
   */
  noticeError(error: unknown): void;
  /** Waits up to two seconds for running queries, then closes every connection. Ends a database started by `openEmbedded`. */
  close(): Promise<void>;
};

/** Opens a database on a PostgreSQL server. Connects with the first query. Throws as `tlsOf` does. */
export function openPostgres(databaseUrl: string, options: { connections?: number } = {}): Database {
  const tls = tlsOf(databaseUrl);
  const sockets = createPoolSockets();
  const open = (connections: number, { connect } = createPoolSockets()) =>
    postgres(tls.url, {
      ...tls.options,
      // The driver's types lack `socket`.
      ...{ socket: connect },
      max: connections,
      fetch_types: false,
      connect_timeout: CONNECT_TIMEOUT_S,
      backoff: () => RECONNECT_DELAY_S,
      onnotice: () => {},
      connection: {
        application_name: 'this-or-that',
        TimeZone: 'UTC',
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: LOCK_TIMEOUT_MS,
      },
    });
  const toHandle = (sql: postgres.Sql) => ({ sql, orm: createOrm(sql, { retriesReads: true }) });
  const pool = toHandle(open(options.connections ?? POOL_CONNECTIONS, sockets));
  const [reads, votes] = [toHandle(open(1, sockets)), toHandle(open(1, sockets))];
  const stopWatching = watchSilence(sockets, (ownSockets) => open(1, ownSockets));
  let isChecking = false;

  async function cutIfWritable(): Promise<void> {
    const fresh = open(1);
    try {
      const [row] = await fresh<[{ isWritable: boolean }]>`
        select not current_setting('transaction_read_only')::boolean as "isWritable"`;
      if (row.isWritable) sockets.cut();
    } catch {
      // The server is unreachable, so that the connections to it are lost anyway.
    } finally {
      await fresh.end({ timeout: 0 });
    }
  }

  return {
    kind: 'postgres',
    ...pool,
    dedicated: {
      reads: createDedicatedConnection({ own: reads, pool }, STALLED_AFTER_MS),
      votes: createDedicatedConnection({ own: votes, pool }, STALLED_AFTER_MS),
    },
    noticeError: (error) => {
      if (isChecking || !isReadOnly(error)) return;
      isChecking = true;
      cutIfWritable().finally(() =>
        setTimeout(() => (isChecking = false), WRITABLE_CHECK_INTERVAL_MS).unref(),
      );
    },
    close: async () => {
      stopWatching();
      await Promise.all([pool, reads, votes].map(({ sql }) => sql.end({ timeout: CLOSE_TIMEOUT_S })));
    },
  };
}

/**
 * Opens the embedded database in `folder` (created if missing) in a worker thread. It has one connection: inside a transaction
 * only the transaction's handle may be used (other queries would wait forever), and nothing slow may be awaited.
 */
export async function openEmbedded(folder: string, onCrash: (error: Error) => void): Promise<Database> {
  const embedded = await startEmbedded(folder, onCrash);
  const db = connectEmbedded(embedded.socketPath);
  return {
    ...db,
    close: async () => {
      try {
        await db.close();
      } finally {
        await embedded.stop();
      }
    },
  };
}

/** Connects to a running embedded database with the first query. Closing the connection leaves the database running. */
export function connectEmbedded(socketPath: string): Database {
  const sql = postgres({
    path: socketPath,
    database: 'postgres',
    username: 'postgres',
    // With two connections the embedded server mixes up unnamed statements and portals.
    max: 1,
    // The server has a single session, which would keep the prepared statements of each former connection.
    max_lifetime: null,
    fetch_types: false,
    backoff: () => RECONNECT_DELAY_S,
    onnotice: () => {},
  });
  const handle = { sql, orm: createOrm(sql, { retriesReads: true }) };
  return {
    kind: 'embedded',
    ...handle,
    dedicated: { reads: (work) => work(handle), votes: (work) => work(handle) },
    noticeError: () => {},
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_S }),
  };
}

/**
 * Drizzle's builder on `client`, with prepared statements like tagged SQL: unnamed statements cost another round trip. (Drizzle
 * prepares a statement that has any name.) `retriesReads`: a read whose connection is lost is retried.
 */
export function createOrm(
  client: postgres.Sql,
  { retriesReads }: { retriesReads: boolean },
): PostgresJsDatabase {
  const orm = drizzle(client);
  const { session } = orm._;
  const prepareQuery = session.prepareQuery.bind(session);

  session.prepareQuery = <Config extends PreparedQueryConfig>(
    ...[query, fields, name = 'prepared', isArray, mapper, metadata, cache]: Parameters<typeof prepareQuery>
  ) => {
    const prepared = prepareQuery<Config>(
      query,
      fields,
      name,
      isArray,
      mapper ?? (createRowMapper(fields) as typeof mapper),
      metadata,
      cache,
    );
    if (!retriesReads || metadata?.type !== 'select') return prepared;
    const execute = prepared.execute.bind(prepared);
    prepared.execute = (values) => retryLost(() => execute(values));
    return prepared;
  };
  return orm;
}
