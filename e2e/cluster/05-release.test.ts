import { voteOf } from '#e2e/hard/changes.ts';
import { inSeconds } from '#e2e/hard/in-seconds.ts';
import { insertPolls, insertUsers } from '#e2e/hard/seed-data.ts';
import type { Cluster } from './cluster.ts';
import { clusterTest } from './cluster-test.ts';
import { openListeners } from './listeners.ts';
import { LOAD, startLoad } from './running-load.ts';

const VOTES = 40_000;
const CHANGES_BETWEEN_STEPS = 150;
const EXIT_WITHIN_MS = 15_000;
const FEED = '/api/questions?limit=24&includeCount=true';

/** Migrates the database as a next release might: in one transaction, and compatibly with the current release. */
function migrate(cluster: Cluster): Promise<unknown> {
  return cluster.inspect(({ sql }) =>
    sql.unsafe(`
      alter table users add column next_release text;
      alter table polls add column next_release integer not null default 0;
      alter table votes add column next_release boolean;
      create table next_release (id integer primary key, poll_id uuid references polls (id) on delete cascade)`),
  );
}

/** Reads the feed without a pause until `isOver`. Returns the number of reads, and the failures. */
async function readUntil(cluster: Cluster, isOver: () => boolean) {
  const [reader] = await cluster.inspect((db) => insertUsers(db, 1, 0));
  const headers = { Cookie: reader?.cookie ?? '' };
  const failed: string[] = [];
  let count = 0;
  while (!isOver()) {
    const response = await cluster.request(FEED, { headers }).catch(() => null);
    if (response?.status !== 200) failed.push(response === null ? 'no response' : String(response.status));
    count += 1;
  }
  return { count, failed };
}

clusterTest(
  {
    number: 5,
    name: 'a rolling release',
    load: `${LOAD}, and reads of the feed`,
    // Session mode, because Debian's PgBouncer does not support prepared statements in transaction mode.
    env: ({ bouncer }) => ({ DATABASE_URL: bouncer.sessionUrl }),
  },
  async (cluster, report) => {
    const { record, check } = report;
    const running = await startLoad(cluster, VOTES);
    const listeners = await openListeners(cluster);
    let isOver = false;
    const reading = readUntil(cluster, () => isOver);
    await running.advance(CHANGES_BETWEEN_STEPS);
    const exitMs: number[] = [];
    for (const index of cluster.ports.keys()) {
      const startedMs = performance.now();
      const ended = cluster.endProcess(index, 'SIGTERM');
      // The other processes continue with statements that were prepared before the migration.
      if (index === 0) await migrate(cluster);
      const code = await ended;
      exitMs.push(performance.now() - startedMs);
      check(code === 0, `the exit code of process ${index} was ${code}`);
      await running.advance(CHANGES_BETWEEN_STEPS);
      await cluster.startProcess(index);
      await running.advance(CHANGES_BETWEEN_STEPS);
    }
    const liveMs = await listeners.waitForUpdates();
    isOver = true;
    const { count, failed } = await reading;
    await running.finish(report);
    check(failed.length === 0, `${failed.length} reads failed: ${[...new Set(failed)].join()}`);
    const { badGateways, interrupted, unavailable } = running.load;
    check(badGateways.length + interrupted + unavailable === 0, 'a change had to be retried');
    check(
      Math.max(...exitMs) <= EXIT_WITHIN_MS,
      `a process exited after ${inSeconds(Math.max(...exitMs))} s`,
    );
    // By now every process has been started after the migration.
    const { users, polls } = await cluster.inspect(async (db) => ({
      users: await insertUsers(db, 1, 0),
      polls: await insertPolls(db, 1),
    }));
    const [user] = users;
    if (user === undefined) throw new Error('There is no user.');
    const vote = await cluster.send(voteOf(user, polls[0] ?? '', 1));
    check(vote?.status === 200, `the vote after the release: ${vote?.status} ${vote?.text}`);
    record(
      `3 processes replaced, each exited within ${inSeconds(Math.max(...exitMs))} s; one migration in between; ${count} reads, ` +
        `${listeners.losses()} sockets reopened, ` +
        `live updates within ${inSeconds(liveMs)} s of the ${CHANGES_BETWEEN_STEPS}th change after the last start`,
    );
  },
);
