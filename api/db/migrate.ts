import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import type { Database } from './client.ts';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));
/** Any number that no other user of the database server locks. */
const MIGRATION_LOCK_ID = 7_041_515;

const POSTGRES_VERSION_MIN = 150_000;

export class OutdatedPostgresError extends Error {
  constructor(version: string) {
    super(`DATABASE_URL leads to PostgreSQL ${version}; version 15 or newer is needed.`);
    this.name = 'OutdatedPostgresError';
  }
}

/** Brings the embedded database up to date; nobody else can be using it. */
export async function migrateEmbedded(db: Database): Promise<void> {
  await migrate(db.orm, { migrationsFolder: MIGRATIONS_FOLDER });
}

/**
 * Brings a PostgreSQL database up to date. Several processes may start at once: one migrates, the others wait.
 * On a connection of its own, without the time limits of requests and with the lock held by its session.
 */
export async function migratePostgres(url: string, connectTimeoutS = 5): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: connectTimeoutS,
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: 'this-or-that migrations' },
  });
  try {
    const [server] = await sql<[{ number: number; name: string }]>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;
    if (server.number < POSTGRES_VERSION_MIN) throw new OutdatedPostgresError(server.name);
    await sql`select pg_advisory_lock(${MIGRATION_LOCK_ID})`;
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
