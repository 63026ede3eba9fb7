import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, test } from 'vitest';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  runScript,
  startServerProcess,
} from './testing/servers/server-process.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('#scripts/renew-epoch.ts'));
const timeout = PROCESS_TEST_TIMEOUT_MS;

const data = await createServerData();
afterAll(() => data.remove());

const renew = (env: Record<string, string>) => runScript(SCRIPT, env);

const readEpoch = () =>
  data.inspect(async ({ sql }) => {
    const rows = await sql<{ epoch: string }[]>`select epoch from server_state`;
    return rows.map(({ epoch }) => epoch);
  });

test('the command gives the database a new epoch and prints it', { timeout }, async () => {
  const before = await readEpoch();
  const { code, stdout, stderr } = await renew(data.env);
  expect([code, stderr]).toEqual([0, '']);
  const after = await readEpoch();
  expect(after).not.toEqual(before);
  expect(stdout).toBe(`The epoch of the database is now ${after[0]}.\n`);
});

test('the command fails while a server uses the embedded database, but not while one uses PostgreSQL', {
  timeout,
}, async () => {
  const server = await startServerProcess({ ...data.env, RATE_LIMITS: 'off' });
  try {
    await server.listening;
    const { code, stderr } = await renew(data.env);
    if (inject('testDatabase').kind === 'postgres') expect([code, stderr]).toEqual([0, '']);
    else expect([code, stderr]).toEqual([1, expect.stringMatching(/^Another process is using .+\n$/)]);
  } finally {
    server.child.kill('SIGKILL');
    await server.exited;
  }
});

test('an unexpected error is reported as one of the command, not of the server', { timeout }, async () => {
  const dataDir = join(data.env.DATA_DIR ?? '', 'broken');
  await mkdir(join(dataDir, 'db', 'pglite'), { recursive: true });
  await writeFile(join(dataDir, 'db', 'pglite', 'PG_VERSION'), '');
  // A folder in place of the lock file makes the lock fail for an unexpected reason.
  await mkdir(join(dataDir, 'db', 'lock'));
  const { TMPDIR = '' } = data.env;
  const { code, stderr } = await renew({ TMPDIR, DATA_DIR: dataDir });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The command failed: Error: .+/)]);
});

test('a DATA_DIR without a database is reported, and no database is created', { timeout }, async () => {
  const missing = join(data.env.DATA_DIR ?? '', 'missing');
  const { TMPDIR = '' } = data.env;
  // The second run would find a database that the first one had created.
  for (let count = 1; count <= 2; count += 1) {
    const { code, stderr } = await renew({ TMPDIR, DATA_DIR: missing });
    expect([code, stderr]).toEqual([
      1,
      `There is no database in ${join(missing, 'db')}. Set DATA_DIR or DATABASE_URL.\n`,
    ]);
  }
});
