import { expect, test } from 'vitest';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { type Handle, openPostgres } from './client.ts';

test('every connection uses UTC, even if the database has another time zone', async () => {
  const configured = await createTestDatabase();
  const url = configured.url ?? '';
  await configured.sql.unsafe(
    `alter database ${new URL(url).pathname.slice(1)} set timezone = 'America/New_York'`,
  );
  const db = openPostgres(url);
  for (const run of [db.dedicated.reads, db.dedicated.votes, (work: typeof readTimeZone) => work(db)]) {
    expect(await run(readTimeZone)).toBe('UTC');
  }
  await db.close();
  await configured.close();
});

async function readTimeZone({ sql }: Handle): Promise<string> {
  const [row] = await sql<[{ zone: string }]>`select current_setting('TimeZone') as zone`;
  return row.zone;
}
