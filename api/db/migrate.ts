import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { ExplainedError } from '#api/errors.ts';
import type { Database } from './client.ts';
import { createPoolSockets } from './postgres/pool-sockets.ts';
import { tlsOf } from './postgres/postgres-tls.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));
/** An arbitrary number that identifies the advisory lock of migrations. */
const MIGRATION_LOCK_ID = 7_041_515;

/** Version 15, as `server_version_num` has it. */
const POSTGRES_VERSION_MIN = 150_000;
const CONNECT_TIMEOUT_S = 5;
const CLOSE_TIMEOUT_S = 5;

/** Migrates the embedded database, which no other process can be using. */
export async function migrateEmbedded(db: Database): Promise<void> {
  await migrate(db.orm, { migrationsFolder: MIGRATIONS_FOLDER });
}

/**
 * Migrates a PostgreSQL database. Of several processes that start at once, one migrates and the others wait. Uses a connection of
 * its own, whose session holds the lock and has no timeouts.
 */
export async function migratePostgres(databaseUrl: string): Promise<void> {
  const tls = tlsOf(databaseUrl);
  const sql = postgres(tls.url, {
    ...tls.options,
    // The driver's types lack `socket`.
    ...{ socket: createPoolSockets().connect },
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: 'this-or-that migrations' },
  });
  try {
    // Overrides timeouts that are configured for the database or its user, `transaction_timeout` if the server knows it (since
    // version 17). Not done by startup parameters, which a pooler may drop.
    await sql`
      select set_config(name, '0', false) from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')`;
    const [server] = await sql<[{ versionNumber: number; version: string }]>`
      select current_setting('server_version_num')::int as "versionNumber", current_setting('server_version') as version`;
    if (server.versionNumber < POSTGRES_VERSION_MIN) {
      throw new ExplainedError(
        `DATABASE_URL points to PostgreSQL ${server.version}; version 15 or newer is required.`,
      );
    }
    await sql`select pg_advisory_lock(${MIGRATION_LOCK_ID})`;
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await sql.end({ timeout: CLOSE_TIMEOUT_S });
  }
}
