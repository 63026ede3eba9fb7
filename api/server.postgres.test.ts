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
