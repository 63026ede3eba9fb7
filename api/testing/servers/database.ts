import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type Database, type Handle, openPostgres } from '#api/db/client.ts';
import { borrowEmbedded } from './embedded-databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabase:
      | { kind: 'postgres'; adminUrl: string; template: string }
      | { kind: 'embedded'; templateFolder: string };
    /** The folder where the tests of a run keep encoded illustrations, because encoding them takes seconds. */
    samplesDataDir: string;
  }
}

/** The number of connections in the pool of a test database on PostgreSQL. */
export const TEST_CONNECTIONS = 6;

/** Creates a migrated database of the test project's kind, which nothing else uses. Closing it removes its content. */
export async function createTestDatabase(): Promise<Database & { url: string | null }> {
  const source = inject('testDatabase');
  return source.kind === 'postgres'
    ? copyOnServer(source.adminUrl, source.template)
    : { ...(await borrowEmbedded(source.templateFolder)), url: null };
}

async function copyOnServer(adminUrl: string, template: string) {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const db = openPostgres(url.href, { connections: TEST_CONNECTIONS });
  return {
    ...db,
    url: url.href,
    close: async () => {
      await db.close();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** The lines of PostgreSQL's plan for a query of the builder. */
export async function planOf(
  { sql }: Pick<Handle, 'sql'>,
  query: { toSQL(): { sql: string; params: unknown[] } },
): Promise<string> {
  const { sql: text, params } = query.toSQL();
  const rows = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain ${text}`,
    params as Parameters<typeof sql.unsafe>[1],
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
