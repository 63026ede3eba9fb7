import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { migratePostgres } from '#api/db/migrate.ts';
import { ExplainedError } from '#api/errors.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { createCertificate } from '#api/testing/external-services/certificate.ts';
import { type PostgresServer, startPostgres } from '#api/testing/servers/postgres-server.ts';
import { createPoolSockets } from './pool-sockets.ts';

const matching = createCertificate('127.0.0.1');
const otherHost = createCertificate('203.0.113.7');
const unrelated = createCertificate('127.0.0.1');
let folder = '';
const servers: PostgresServer[] = [];
let matchingServer = '';
let otherHostServer = '';
let serverWithoutTls = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tot-tls-'));
  await chmod(folder, 0o755);
  for (const [name, { cert }] of Object.entries({ matching, otherHost, unrelated })) {
    await writeFile(join(folder, `${name}.pem`), cert);
  }
  for (const certificate of [matching, otherHost]) servers.push(await startPostgres({ certificate }));
  servers.push(await startPostgres());
  [matchingServer = '', otherHostServer = '', serverWithoutTls = ''] = servers.map(({ url }) => url);
}, 120_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Returns `encrypted`, `plain`, or the code of the error. */
async function connect(server: string, query: Record<string, string>): Promise<string> {
  const db = openPostgres(`${server}?${new URLSearchParams(query)}`, { connections: 1 });
  try {
    const [row] = await db.sql<[{ ssl: boolean }]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row.ssl ? 'encrypted' : 'plain';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    await db.close();
  }
}

const pathOf = (name: string) => join(folder, `${name}.pem`);

test('verify-full accepts only a certificate that a trusted authority has signed for this host', async () => {
  expect(await connect(matchingServer, { sslmode: 'verify-full', sslrootcert: pathOf('matching') })).toBe(
    'encrypted',
  );
  expect(await connect(matchingServer, { sslmode: 'verify-full', sslrootcert: pathOf('unrelated') })).toMatch(
    /CERT/,
  );
  expect(await connect(matchingServer, { sslmode: 'verify-full' })).toMatch(/CERT/);
  expect(await connect(matchingServer, { sslrootcert: 'system' })).toMatch(/CERT/);
  const query = { sslmode: 'verify-full', sslrootcert: pathOf('otherHost') };
  expect(await connect(otherHostServer, query)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test.each(['verify-ca', 'require'])(
  '%s with a root certificate verifies the signer, not the host',
  async (sslmode) => {
    expect(await connect(otherHostServer, { sslmode, sslrootcert: pathOf('otherHost') })).toBe('encrypted');
    expect(await connect(otherHostServer, { sslmode, sslrootcert: pathOf('unrelated') })).toMatch(/CERT/);
  },
);

test('require without a root certificate encrypts but verifies nothing', async () => {
  expect(await connect(otherHostServer, { sslmode: 'require' })).toBe('encrypted');
  expect(await connect(otherHostServer, { sslmode: 'disable' })).toBe('plain');
});

test.each(['allow', 'prefer'])('%s encrypts only if the server supports it', async (sslmode) => {
  expect(await connect(matchingServer, { sslmode })).toBe('encrypted');
  expect(await connect(serverWithoutTls, { sslmode })).toBe('plain');
});

test('encrypted connections that have become read-only are replaced, even while they are busy', async () => {
  const db = openPostgres(`${matchingServer}?sslmode=require`, { connections: 5 });
  const backendPid = () =>
    db.sql`select pg_backend_pid() as pid, pg_sleep(0.001)`.then(
      ([row]) => row?.pid,
      () => null,
    );
  const backendPids = async () => new Set(await Promise.all(Array.from({ length: 40 }, backendPid)));
  const pidsBefore = await backendPids();
  db.noticeError(Object.assign(new Error('cannot execute UPDATE'), { code: '25006' }));
  await expect
    .poll(async () => [...(await backendPids())].some((pid) => pidsBefore.has(pid)), { interval: 0 })
    .toBe(false);
  await db.close();
});

test('a query sent while its encrypted connection is lost fails, and the process continues', async () => {
  const { connect: socket, cut } = createPoolSockets();
  // The driver's types lack `socket`.
  const sql = postgres(`${matchingServer}?sslmode=require`, { ...{ socket }, max: 1, backoff: () => 0.01 });
  for (let count = 0; count < 5; count += 1) {
    await sql`select 1`;
    const sent = sql`select 2`.then(
      () => 'succeeded',
      (error: unknown) => toAppError(error).code,
    );
    // The driver sends the query once the running callbacks have ended.
    await Promise.resolve();
    cut();
    expect(await sent).toBe('unavailable');
  }
  await sql.end({ timeout: 0 });
});

test('migrations verify the certificate of the server', async () => {
  await expect(migratePostgres(`${matchingServer}?sslmode=verify-full`)).rejects.toThrow(/certificate/);
  await migratePostgres(
    `${matchingServer}?${new URLSearchParams({ sslmode: 'verify-full', sslrootcert: pathOf('matching') })}`,
  );
});

test('the error for an unreadable root certificate is explained to the operator, and names its file', () => {
  const missing = pathOf('missing');
  const url = `${matchingServer}?${new URLSearchParams({ sslmode: 'verify-full', sslrootcert: missing })}`;
  expect(() => openPostgres(url)).toThrow(ExplainedError);
  expect(() => openPostgres(url)).toThrow(`${missing} (ENOENT)`);
});
