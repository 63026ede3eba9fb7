import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createServerData, PROCESS_TEST_TIMEOUT_MS, runScript } from './testing/servers/server-process.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('#scripts/renew-epoch.ts'));

const data = await createServerData();
afterAll(() => data.remove());

test('a PostgreSQL database without tables, as after a failed pg_restore, is reported and gets none', {
  timeout: PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  await data.inspect(async ({ sql }) => {
    await sql`drop schema public, drizzle cascade`;
    await sql`create schema public`;
  });
  const { code, stderr } = await runScript(SCRIPT, data.env);
  expect([code, stderr]).toEqual([
    1,
    'The database at DATABASE_URL has no tables of this app. Restore it, or check its name.\n',
  ]);
  const tables = await data.inspect(({ sql }) => sql`select from pg_tables where schemaname = 'public'`);
  expect(tables).toHaveLength(0);
});
