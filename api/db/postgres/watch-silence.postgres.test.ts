import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { type Database, openPostgres } from '#api/db/client.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { createCertificate } from '#api/testing/external-services/certificate.ts';
import { startTcpProxy } from '#api/testing/external-services/tcp-proxy.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { listenLocally } from '#api/testing/servers/local-server.ts';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';

const postgres = await startPostgres({ certificate: createCertificate('127.0.0.1') });
/** Accepts connections, but never responds, like a database whose processes are stopped. */
const silentSockets = new Set<Socket>();
const silentServer = createServer((socket) => silentSockets.add(socket.on('error', () => {})));
const silentPort = await listenLocally(silentServer);
/** Logs each client in, and never responds again, like a pooler without a free connection. */
const fullPooler = createServer((socket) => {
  silentSockets.add(socket.on('error', () => {}));
  socket.once('data', () => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0')));
});
const fullPoolerPort = await listenLocally(fullPooler);

afterAll(async () => {
  for (const socket of silentSockets) socket.destroy();
  silentServer.close();
  fullPooler.close();
  await postgres.stop();
});

/** Longer than an interval in which nothing was received. */
const SILENCE_MS = 1_100;

function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'succeeded',
    (error: unknown) => toAppError(error).code,
  );
}

/** One query on each connection of `db`. */
function queryAll({ sql, dedicated }: Database): Promise<unknown>[] {
  const ofPool = [1, 2].map(() => sql`select pg_sleep(0.1)`.then(() => {}));
  return [...ofPool, ...[dedicated.reads, dedicated.votes].map((run) => run((own) => own.sql`select 1`))];
}

test.each(['disable', 'require'])(
  'queries on open connections fail soon once the database falls silent (sslmode %s)',
  async (mode) => {
    const proxy = await startTcpProxy(postgres.url);
    const db = openPostgres(`${proxy.url}?sslmode=${mode}`, { connections: 2 });
    await Promise.all(queryAll(db));
    await sleep(SILENCE_MS);
    proxy.setTarget(`postgres://127.0.0.1:${silentPort}/`);
    proxy.stopForwarding();
    const startMs = performance.now();
    expect(await Promise.all(queryAll(db).map(outcomeOf))).toEqual(Array(4).fill('unavailable'));
    expect(performance.now() - startMs).toBeLessThan(3_500);

    proxy.setTarget(postgres.url);
    await expect
      .poll(() => outcomeOf(db.sql`select 1`.then(() => {})), { timeout: 10_000 })
      .toBe('succeeded');
    await db.close();
    await proxy.close();
  },
);

test('a slow query is not interrupted while the database accepts or refuses another connection', async () => {
  const admin = openPostgres(postgres.url);
  await admin.sql`create role single login password 'single' connection limit 1`;
  const urlWithLimit = Object.assign(new URL(postgres.url), { username: 'single', password: 'single' });
  const databases = [openPostgres(postgres.url), openPostgres(urlWithLimit.href)];
  for (const { sql } of databases) await sql`select 1`;
  await sleep(SILENCE_MS);
  // Longer than it takes to notice silence.
  const slow = databases.map(({ sql }) => outcomeOf(sql`select pg_sleep(4)`.then(() => {})));
  expect(await Promise.all(slow)).toEqual(['succeeded', 'succeeded']);
  for (const db of [...databases, admin]) await db.close();
});

test('a slow query is not interrupted while other connections are refused, or wait in a pooler', async () => {
  const slow = [await freePort(), fullPoolerPort].map(async (port) => {
    const proxy = await startTcpProxy(postgres.url);
    const db = openPostgres(proxy.url);
    await db.sql`select 1`;
    await sleep(SILENCE_MS);
    proxy.setTarget(`postgres://127.0.0.1:${port}/`);
    const outcome = await outcomeOf(db.sql`select pg_sleep(4)`.then(() => {}));
    await db.close();
    await proxy.close();
    return outcome;
  });
  expect(await Promise.all(slow)).toEqual(['succeeded', 'succeeded']);
});

test('queries fail soon if the database falls silent while another connection is tried', async () => {
  const proxy = await startTcpProxy(postgres.url);
  const db = openPostgres(proxy.url);
  await db.sql`select 1`;
  await sleep(SILENCE_MS);
  proxy.setTarget(`postgres://127.0.0.1:${silentPort}/`);
  // Lasts until the other connection is tried.
  await db.sql`select pg_sleep(1)`;
  proxy.stopForwarding();
  expect(await outcomeOf(db.sql`select 1`.then(() => {}))).toBe('unavailable');
  await db.close();
  await proxy.close();
});
