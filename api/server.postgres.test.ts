import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  startServerProcess,
} from './testing/servers/server-process.ts';

const data = await createServerData();
afterAll(() => data.remove());

test.each([
  [{ pathname: '/not_there' }, 'The database named in DATABASE_URL does not exist. Create it first.\n'],
  [{ hostname: 'no-such-host.invalid' }, 'The host in DATABASE_URL is not known. Check its name.\n'],
])('a DATABASE_URL with %o prevents the start with a one-line message', async (part, message) => {
  const url = Object.assign(new URL(data.env.DATABASE_URL ?? ''), part);
  const server = await startServerProcess({ ...data.env, DATABASE_URL: url.href });
  expect(await server.exited).toBe(1);
  expect(server.stderr()).toBe(message);
});

test('with PostgreSQL the server starts despite a missing TMPDIR', {
  timeout: PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  const TMPDIR = join(data.env.DATA_DIR ?? '', 'missing');
  const server = await startServerProcess({ ...data.env, TMPDIR });
  await server.listening;
  server.child.kill('SIGKILL');
  await server.exited;
});

test('on SIGTERM the deletion of an account that takes long is interrupted, and the server exits with 0', {
  timeout: PROCESS_TEST_TIMEOUT_MS,
}, async () => {
  await data.inspect(async ({ sql }) => {
    await sql`
      insert into users (username, email, password_hash, referral_code, deletion_due_at, deletion_polls)
      values ('leaver', 'leaver@example.org', '', 'LEAVER', now(), 'keep')`;
    await sql.unsafe(`
      create function take_a_minute() returns trigger language plpgsql as
        $$ begin perform pg_sleep(60); return old; end $$;
      create trigger take_a_minute before delete on users for each row execute function take_a_minute()`);
  });
  const server = await startServerProcess(data.env);
  await server.listening;
  await data.inspect(({ sql }) =>
    expect
      .poll(
        async () =>
          (
            await sql`
              select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
          ).count,
      )
      .toBe(1),
  );
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.stderr()).toBe('');
  await data.inspect(async ({ sql }) => {
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    expect((await sql`select from users where username = 'leaver'`).count).toBe(1);
  });
});
