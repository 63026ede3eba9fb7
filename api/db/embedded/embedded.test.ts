import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Database, openEmbedded } from '#api/db/client.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  startServerProcess,
} from '#api/testing/servers/server-process.ts';

function open(folder: string): Promise<Database> {
  return openEmbedded(folder, (error) => {
    throw error;
  });
}

test('the database closes soon during a long statement, and keeps what was committed', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = inject('testDatabase');
  if (source.kind !== 'embedded') throw new Error('This file is for the embedded database only');
  await cp(source.templateFolder, folder, { recursive: true });
  const db = await open(folder);
  await db.sql`create table numbers as select n from generate_series(1, 1000) n`;
  const long = db.sql`select count(*) from numbers, numbers a, numbers b, numbers c`.then(
    () => 'ended',
    () => 'interrupted',
  );
  await sleep(500);
  const startMs = performance.now();
  await db.close();
  expect(performance.now() - startMs).toBeLessThan(9_000);
  expect(await long).toBe('interrupted');

  const reopened = await open(folder);
  expect(await reopened.sql`select count(*)::int from numbers`).toEqual([{ count: 1_000 }]);
  await reopened.close();
});

test('on SIGTERM the server exits with 0 despite a long statement for which a request and a runner wait', {
  timeout: PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  const data = await createServerData();
  onTestFinished(() => data.remove());
  await data.inspect(async ({ sql }) => {
    await sql`
      insert into users (username, email, password_hash, referral_code, deletion_due_at, deletion_polls)
      values ('leaver', 'leaver@example.org', '', 'LEAVER', now(), 'keep')`;
    await sql`insert into mail_queue (purpose, email) values ('reset', 'nobody@example.org')`;
    await sql.unsafe(`
      create function take_a_minute() returns trigger language plpgsql as
        $$ begin perform pg_sleep(60); return old; end $$;
      create trigger take_a_minute before delete on users for each row execute function take_a_minute()`);
  });
  const server = await startServerProcess(data.env);
  await server.listening;
  const login = fetch(`${server.address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'nobody', password: 'x' }),
  }).then(
    ({ status }) => status,
    () => 'disconnected',
  );
  await sleep(500);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.stderr()).toBe('');
  expect(await login).toBe('disconnected');
});
