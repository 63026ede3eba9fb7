import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { migratePostgres } from '#api/db/migrate.ts';
import { startTcpProxy } from '#api/testing/external-services/tcp-proxy.ts';
import { givePoints, makePoll } from '#api/testing/poll-factory.ts';
import { startReplicated } from '#api/testing/servers/postgres-server.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { REPLICA_LAG_MAX_MS, watchReplica } from './replica.ts';

const servers = await startReplicated();
await migratePostgres(servers.primary.url);
const proxy = await startTcpProxy(servers.primary.url);
const db = openPostgres(proxy.url);
const replicaDb = openPostgres(servers.replica.url, { connections: 1 });
let skippedMs = 0;
const usabilityReports: boolean[] = [];
const replica = watchReplica(db, openPostgres(servers.replica.url), {
  nowMs: () => performance.now() + skippedMs,
  intervalMs: 50,
  onChange: (isUsable) => usabilityReports.push(isUsable),
});
const app = await createTestApp({ db, replica });
const maker = await app.signUp();
const reader = await app.signUp();
await givePoints(app, maker.user.id, 1_000);

afterAll(async () => {
  await replica.stop();
  await replicaDb.close();
  await db.close();
  await proxy.close();
  await servers.replica.stop();
  await servers.primary.stop();
}, 60_000);

const LISTS = ['/api/questions', '/api/trending?minVotes=0', '/api/explore', '/api/search?q=replayed'];

/** The paths in `LISTS` whose response to this user contains this poll. */
async function listsWith({ id }: Poll, user: TestUser): Promise<string[]> {
  const paths: string[] = [];
  for (const path of LISTS) {
    const response = await user.get(path);
    expect(response.status).toBe(200);
    const body: Poll[] | { data: Poll[] } = await response.json();
    const polls = Array.isArray(body) ? body : body.data;
    if (polls.some((poll) => poll.id === id)) paths.push(path);
  }
  return paths;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilUsable(isUsable: boolean): Promise<void> {
  await expect.poll(() => replica.isUsable(), { timeout: 10_000 }).toBe(isUsable);
}

test('a replica that is unusable from the start is reported once', async () => {
  const reports: boolean[] = [];
  const unreachable = watchReplica(db, openPostgres('postgres://127.0.0.1:1/none'), {
    intervalMs: 20,
    onChange: (isUsable) => reports.push(isUsable),
  });
  await expect.poll(() => reports).toEqual([false]);
  // Time for several checks.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await unreachable.stop();
  expect(reports).toEqual([false]);
});

test('lists are read from the replica, except by a device that has recently changed something', async () => {
  await untilUsable(true);
  await replicaDb.sql`select pg_wal_replay_pause()`;
  const poll = await makePoll(maker, { question: 'Not replayed yet?' });
  reader.cookies.delete('wrote');
  expect(await listsWith(poll, reader)).toEqual([]);
  expect((await reader.get(`/api/questions/${poll.id}`)).status).toBe(200);
  // Reads from the replica and from the primary are cached separately. The deck contains no polls of its viewer.
  expect(await listsWith(poll, maker)).toEqual(LISTS.filter((path) => path !== '/api/explore'));
  expect(await listsWith(poll, reader)).toEqual([]);

  const voted = await reader.post(`/api/questions/${poll.id}/vote`, { option: 1 });
  // Ten seconds of lag, ten in a cache, and five to spare.
  expect(voted.headers.getSetCookie()).toEqual(['wrote=1; Max-Age=25; Path=/; HttpOnly; SameSite=Lax']);
  const { data }: { data: Poll[] } = await (await reader.get('/api/questions')).json();
  expect(data.find(({ id }) => id === poll.id)).toMatchObject({ votes: [{ option: 1 }] });

  await replicaDb.sql`select pg_wal_replay_resume()`;
  reader.cookies.delete('wrote');
  await expect.poll(() => listsWith(poll, reader), { timeout: 5_000 }).toContain('/api/questions');
});

test('a batch counts as a change by its device', async () => {
  reader.cookies.delete('wrote');
  await reader.post('/api/batch', { requests: [] });
  expect(reader.cookies.get('wrote')).toBe('1');
});

test('a lagging replica is not read until it has caught up', async () => {
  await untilUsable(true);
  await replicaDb.sql`select pg_wal_replay_pause()`;
  const poll = await makePoll(maker, { question: 'Will it be replayed?' });
  reader.cookies.delete('wrote');
  await expect.poll(() => listsWith(poll, reader)).toEqual([]);
  // Changes that were not replayed make the replica lag; time without changes does not.
  skippedMs += REPLICA_LAG_MAX_MS + 1;
  await expect.poll(() => usabilityReports.at(-1)).toBe(false);
  expect(await listsWith(poll, reader)).toEqual(LISTS);
  await replicaDb.sql`select pg_wal_replay_resume()`;
  await untilUsable(true);
  expect(usabilityReports.at(-1)).toBe(true);
});

test('the replica of an idle primary does not count as lagging', async () => {
  await untilUsable(true);
  for (let count = 0; count < 3; count++) {
    skippedMs += REPLICA_LAG_MAX_MS / 2;
    // Time for several checks.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(replica.isUsable()).toBe(true);
});

test('users do not notice when the replica becomes unavailable and available again', {
  timeout: 60_000,
}, async () => {
  await untilUsable(true);
  const poll = await makePoll(maker, { question: 'Will it be replayed again?' });
  reader.cookies.delete('wrote');
  await expect.poll(() => listsWith(poll, reader)).toEqual(LISTS);
  await servers.replica.kill();
  expect(await listsWith(poll, reader)).toEqual(LISTS);
  await untilUsable(false);
  expect(await listsWith(poll, reader)).toEqual(LISTS);
  await servers.replica.restart();
  await untilUsable(true);
  expect(await listsWith(poll, reader)).toEqual(LISTS);
});

test('after a failover reads and votes succeed on the promoted replica', { timeout: 60_000 }, async () => {
  await untilUsable(true);
  const poll = await makePoll(maker, { question: 'Does it last?' });
  await expect
    .poll(async () => (await replicaDb.sql`select from polls where id = ${poll.id}`.catch(() => [])).length)
    .toBe(1);
  const vote = () => reader.post(`/api/questions/${poll.id}/vote`, { option: 2 });
  const processes = await db.sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  proxy.setTarget(servers.replica.url);
  await servers.primary.kill();
  // The primary's processes may still take a vote until they notice that it was killed.
  await expect.poll(() => processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  // A standby serves reads but accepts no changes.
  await expect.poll(async () => (await reader.get(`/api/questions/${poll.id}`)).status).toBe(200);
  const failedVote = await vote();
  expect(failedVote.status).toBe(503);
  expect(failedVote.headers.get('Retry-After')).toBe('2');

  await replicaDb.sql`select pg_promote()`;
  await expect.poll(async () => (await vote()).status, { timeout: 10_000 }).toBe(200);
  // The former replica is a primary now.
  await untilUsable(false);
  reader.cookies.delete('wrote');
  expect(await listsWith(poll, reader)).toContain('/api/questions');
  // `stop` waits for the exit of the server's process, which has already happened if the server was killed.
  await servers.primary.restart();
});
