import { once } from 'node:events';
import { access, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '#api/db/client.ts';
import { embeddedFolder } from '#api/db/open-database.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  startServerProcess,
} from './testing/servers/server-process.ts';

let data = await createServerData();
let dataDir = data.env.DATA_DIR ?? '';

beforeEach(async () => {
  await data.remove();
  data = await createServerData();
  dataDir = data.env.DATA_DIR ?? '';
}, PROCESS_TEST_TIMEOUT_MS);
afterAll(() => data.remove(), PROCESS_TEST_TIMEOUT_MS);

const timeout = PROCESS_TEST_TIMEOUT_MS;

/** Starts a server that is expected to fail, and returns its output. */
async function startAndFail(env: Record<string, string> = {}) {
  const server = await startServerProcess({ ...data.env, ...env });
  expect(await server.exited).toBe(1);
  expect(server.stderr()).toMatch(/^[^\n]+\n$/);
  return { stderr: server.stderr(), stdout: server.stdout() };
}

test.each(['uploads', 'incoming'])(
  'a file in place of the folder %s is reported in one line',
  { timeout },
  async (name) => {
    await writeFile(join(dataDir, name), '');
    const { stderr } = await startAndFail();
    expect(stderr).toBe(
      `DATA_DIR cannot be written: ${join(dataDir, name)} is a file, not a folder (EEXIST). ` +
        'Fix that, or set DATA_DIR to another folder.\n',
    );
  },
);

test('a password in DATABASE_URL that cannot be decoded is reported in one line without showing it', {
  timeout,
}, async () => {
  const { stderr } = await startAndFail({ DATABASE_URL: 'postgres://me:50%zz@localhost/polls' });
  expect(stderr).toMatch(/^Wrong configuration: DATABASE_URL: must have every % .+ written as %25/);
  expect(stderr).not.toContain('zz');
});

test('wrong variables prevent the start with one line that names each of them', { timeout }, async () => {
  const { stderr } = await startAndFail({ PORT: 'x', LOG_LEVEL: 'loud' });
  expect(stderr).toMatch(/^Wrong configuration: PORT: .+; LOG_LEVEL: .+\n$/);
});

test('a HOST that is not an address of this machine is reported in one line', { timeout }, async () => {
  for (const HOST of ['203.0.113.1', 'no.such.host.invalid']) {
    const { stderr } = await startAndFail({ HOST });
    expect(stderr).toBe('HOST is not an address of this machine.\n');
  }
});

test('a data folder that cannot be created is reported in one line', { timeout }, async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  expect((await startAndFail({ DATA_DIR: join(file, 'data') })).stderr).toMatch(
    /^DATA_DIR cannot be written: .+\n$/,
  );
});

test('an unreachable database is reported in one line, without its password', { timeout }, async () => {
  const DATABASE_URL = `postgres://me:secret@127.0.0.1:${await freePort()}/x`;
  expect((await startAndFail({ DATABASE_URL })).stderr).toBe(
    'No PostgreSQL answers at DATABASE_URL. Start it, or check the address.\n',
  );
});

test('an unreachable database at DATABASE_DIRECT_URL is reported with the name of this variable', {
  timeout,
}, async () => {
  const DATABASE_URL = 'postgres://me@127.0.0.1:1/x';
  const DATABASE_DIRECT_URL = `postgres://me:secret@127.0.0.1:${await freePort()}/x`;
  expect((await startAndFail({ DATABASE_URL, DATABASE_DIRECT_URL })).stderr).toBe(
    'No PostgreSQL answers at DATABASE_DIRECT_URL. Start it, or check the address.\n',
  );
});

test('a port in use prevents the start, with one message and no later errors', { timeout }, async () => {
  // The image sweep, if it had begun, would be busy with these files when the database is closed, and would log a failure.
  await mkdir(join(dataDir, 'uploads'));
  const orphans = Array.from({ length: 500 }, (_, n) => `${n.toString(16).padStart(32, '0')}.webp`);
  await Promise.all(orphans.map((name) => writeFile(join(dataDir, 'uploads', name), '')));
  const otherServer = createServer().listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  const address = otherServer.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const { stdout, stderr } = await startAndFail({ PORT: String(port) });
  expect(stderr).toBe(`Port ${port} is in use. Stop what uses it, or set PORT to another number.\n`);
  expect(stdout).not.toContain('failed');

  // The port is checked before anything else, and no data folder is created.
  const untouched = join(dataDir, 'untouched');
  const DATABASE_URL = 'postgres://me@127.0.0.1:1/nothing';
  const beforeSetup = await startAndFail({ PORT: String(port), DATA_DIR: untouched, DATABASE_URL });
  expect(beforeSetup.stderr).toBe(stderr);
  await expect(access(untouched)).rejects.toThrow('ENOENT');
  otherServer.close();
});

test('a migration that fails is reported with its reason, without the advice to replace the database', {
  timeout,
}, async () => {
  const db = await openEmbedded(embeddedFolder(dataDir), () => {});
  // The first migration then fails, since its tables exist.
  await db.sql`delete from drizzle.__drizzle_migrations`;
  await db.close();
  const { stderr } = await startAndFail();
  expect(stderr).toMatch(/^The database in \S+ cannot be migrated \(.+ already exists\)\. /);
  expect(stderr).not.toContain('backup');
});

test('problems of the embedded database are reported in one line each', { timeout }, async () => {
  const missing = join(dataDir, 'missing');
  expect((await startAndFail({ TMPDIR: missing })).stderr).toBe(
    `TMPDIR cannot be written: ${missing} does not exist (ENOENT). Set TMPDIR to a writable folder.\n`,
  );
  const long = join(dataDir, 'x'.repeat(90));
  await mkdir(long);
  expect((await startAndFail({ TMPDIR: long })).stderr).toMatch(
    /^TMPDIR is too long for the path of a socket/,
  );

  const files = join(dataDir, 'db', 'pglite');
  const version = await readFile(join(files, 'PG_VERSION'));
  await rm(join(files, 'PG_VERSION'));
  const { stderr, stdout } = await startAndFail();
  expect(stderr).toMatch(/^The database in .+ cannot be opened \(PG_VERSION is missing\)\. Put a backup/);
  expect(stdout).not.toContain('password');
  await writeFile(join(files, 'PG_VERSION'), version);

  await truncate(join(files, 'global', 'pg_control'));
  expect((await startAndFail()).stderr).toMatch(/^The database in \S+ cannot be opened\. Put a backup/);

  await rm(join(dataDir, 'db'), { recursive: true });
  await writeFile(join(dataDir, 'db'), '');
  expect((await startAndFail()).stderr).toContain(`${join(dataDir, 'db')} is a file, not a folder`);
});
