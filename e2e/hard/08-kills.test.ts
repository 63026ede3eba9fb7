import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import {
  acceptsConnections,
  type PostgresServer,
  startPostgres,
} from '#api/testing/servers/postgres-server.ts';
import { median } from '#bench/load/quantiles.ts';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';
import { creationOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import { inSeconds } from './in-seconds.ts';
import { createLoad, type Load } from './load.ts';
import { insertPolls, insertUsers } from './seed-data.ts';
import type { Stage } from './stage.ts';
import type { Report } from './table-test.ts';

const IS_EMBEDDED = inject('testDatabase').kind === 'embedded';
const KILLS = 50;
const READY_WITHIN_MS = IS_EMBEDDED ? 10_000 : 3_000;
/** The database is inspected after every n-th kill. Opening the embedded one recovers it, so the server has nothing to recover. */
const INSPECT_EVERY = IS_EMBEDDED ? 10 : 1;
const CHANGES_BEFORE_KILL_MAX = 80;
const KILL_DELAY_MAX_MS = 15;

const random = (max: number) => Math.floor(Math.random() * max);

function checkLoad({ unexpected }: Load, { check }: Report): void {
  check(unexpected.length === 0, `${unexpected.length} unexpected responses, such as ${unexpected[0]}`);
}

hardTest(
  { number: 8, name: 'kill -9 of the server', load: 'votes and new polls, 16 concurrent requests' },
  async (stage, report) => {
    const { record, check } = report;
    const load = await createLoad(stage, 10_000);
    const readyMs: number[] = [];
    // The first start is not measured: it also creates the owner's account.
    await stage.start();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const stopping = new AbortController();
      const running = load.run(stopping.signal);
      for (let remaining = random(CHANGES_BEFORE_KILL_MAX); remaining >= 0; remaining -= 1) await load.next();
      await sleep(random(KILL_DELAY_MAX_MS));
      await stage.kill();
      stopping.abort();
      await running;
      const violations =
        kill % INSPECT_EVERY === 0 ? await stage.inspect((db) => violatedInvariants(db)) : [];
      for (const violation of violations) check(false, `after kill ${kill}: ${violation}`);
      readyMs.push(await stage.start());
    }
    await load.finish();
    // Other processes on the machine may slow down single starts, but hardly half of them.
    const medianMs = median(readyMs);
    check(medianMs <= READY_WITHIN_MS, `ready after ${inSeconds(medianMs)} s (median)`);
    checkLoad(load, report);
    record(
      `${KILLS} kills, ${load.interrupted} requests interrupted, ${load.acknowledged} changes acknowledged`,
    );
    record(`ready after ${inSeconds(medianMs)} s (median), at most ${inSeconds(Math.max(...readyMs))} s`);
  },
);

const POSTGRES_KILLS = 5;
const OUTAGE_MS = 2_000;
const RECOVERED_WITHIN_MS = 5_000;

/** Kills a backend process of PostgreSQL, as the kernel does when memory runs out. PostgreSQL then ends all others. */
async function killBackend(postgres: PostgresServer): Promise<void> {
  const db = openPostgres(postgres.url, { connections: 1 });
  const [row] = await db.sql<[{ pid: number }?]>`
    select pid from pg_stat_activity where application_name = 'this-or-that' and pid <> pg_backend_pid() limit 1`;
  if (row === undefined) throw new Error('The server has no connection.');
  process.kill(row.pid, 'SIGKILL');
  await db.close().catch(() => {});
}

async function killPostgres(stage: Stage, report: Report): Promise<void> {
  const postgres = await startPostgres({ isDurable: true });
  const { record, check } = report;
  await stage.switchToPostgres(postgres);
  const load = await createLoad(stage, 40_000);
  await stage.start();
  const stopping = new AbortController();
  const running = load.run(stopping.signal);
  const recoveryMs: number[] = [];
  for (let kill = 0; kill < POSTGRES_KILLS * 2; kill += 1) {
    for (let remaining = random(CHANGES_BEFORE_KILL_MAX); remaining >= 0; remaining -= 1) await load.next();
    if (kill % 2 === 0) {
      await postgres.kill();
      await sleep(OUTAGE_MS);
      const health = await stage.get('/api/health');
      check(health.status === 200, `health during the outage: ${health.status}`);
      await postgres.restart();
    } else {
      await killBackend(postgres);
    }
    while (!(await acceptsConnections(postgres.url))) await sleep(20);
    const startedMs = performance.now();
    await load.next();
    while ((await stage.get('/api/ready')).status !== 200) await sleep(20);
    recoveryMs.push(performance.now() - startedMs);
  }
  stopping.abort();
  await running;
  await load.finish();
  const slowestMs = Math.max(...recoveryMs);
  check(slowestMs <= RECOVERED_WITHIN_MS, `the first 200 after ${inSeconds(slowestMs)} s`);
  check(load.unavailable > 0, 'no response said that the database was unavailable');
  check(load.interrupted === 0, `${load.interrupted} requests got no response`);
  checkLoad(load, report);
  record(`PostgreSQL killed ${POSTGRES_KILLS} times, one of its backend processes ${POSTGRES_KILLS} times`);
  record(
    `${load.unavailable} responses 503, ${load.acknowledged} changes acknowledged, first 200 within ${inSeconds(slowestMs)} s`,
  );
}

if (!IS_EMBEDDED) {
  hardTest(
    { number: 9, name: 'kill -9 of PostgreSQL', load: 'votes and new polls, 16 concurrent requests' },
    killPostgres,
  );
}

const STOPS = 5;
const CLIENTS = 100;
const SLOW_UPLOADS = 10;
const SLOW_PARTS = 6;
const SLOW_PART_MS = 500;
const EXIT_WITHIN_MS = 15_000;

type Tally = {
  /** Whether SIGTERM was sent. */
  isSignalled: boolean;
  responses: number;
  /** Requests that got an error, or were sent before the signal and got no response. */
  dropped: string[];
  /** Requests that failed because they were sent after the signal: clients can safely retry them. */
  late: number;
};

/** Sends requests without a pause until the server announces that it closes the connection, or accepts no more. */
async function requestUntilClosed(request: () => Promise<Response>, tally: Tally): Promise<void> {
  for (;;) {
    const isLate = tally.isSignalled;
    try {
      const response = await request();
      const text = await response.text();
      if (response.status !== 200) tally.dropped.push(`${response.status} ${text}`);
      tally.responses += 1;
      if (response.headers.get('connection') === 'close') return;
    } catch (error) {
      if (isLate) tally.late += 1;
      else tally.dropped.push(String((error as Error).cause ?? error));
      return;
    }
  }
}

/** Streams a body over three seconds. */
function slowStream(body: ArrayBuffer): ReadableStream<Uint8Array> {
  const size = Math.ceil(body.byteLength / SLOW_PARTS);
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await sleep(SLOW_PART_MS);
      controller.enqueue(new Uint8Array(body.slice(sent, sent + size)));
      sent += size;
      if (sent >= body.byteLength) controller.close();
    },
  });
}

hardTest(
  { number: 10, name: 'SIGTERM under load', load: `${CLIENTS} clients and ${SLOW_UPLOADS} uploads of 3 s` },
  async (stage, { record, check }) => {
    const { users, makers, polls } = await stage.inspect(async (db) => ({
      users: await insertUsers(db, CLIENTS, 0),
      // Enough points for a new poll at each stop.
      makers: await insertUsers(db, SLOW_UPLOADS, CREATE_POLL_POINTS_MIN * STOPS),
      polls: await insertPolls(db, STOPS),
    }));
    const tally: Tally = { isSignalled: false, responses: 0, dropped: [], late: 0 };
    const exitMs: number[] = [];
    for (const poll of polls) {
      await stage.start();
      const { address } = stage.server;
      const clients = users.map((user, index) => {
        const headers = { Cookie: user.cookie, 'Content-Type': 'application/json' };
        const body = JSON.stringify({ option: 1 });
        const vote = () => fetch(`${address}/api/questions/${poll}/vote`, { method: 'POST', headers, body });
        const read = () => fetch(`${address}/api/questions`, { headers });
        return requestUntilClosed(index % 2 === 0 ? vote : read, tally);
      });
      const sending = makers.map(async (maker) => {
        const { path, body, contentType, key } = await creationOf(maker);
        const headers = { Cookie: maker.cookie, 'Content-Type': contentType, 'Idempotency-Key': key };
        const init = { method: 'POST', headers, body: slowStream(body), duplex: 'half' };
        const response = await fetch(address + path, init as RequestInit);
        return response.status;
      });
      const uploads = Promise.allSettled(sending);
      await sleep(SLOW_PART_MS * 2 + random(500));
      const startedMs = performance.now();
      tally.isSignalled = true;
      const code = await stage.stop();
      exitMs.push(performance.now() - startedMs);
      check(code === 0, `the exit code was ${code}`);
      await Promise.all(clients);
      tally.isSignalled = false;
      for (const upload of await uploads) {
        const isCreated = upload.status === 'fulfilled' && upload.value === 201;
        check(
          isCreated,
          `an upload ended with ${upload.status === 'fulfilled' ? upload.value : (upload.reason.cause ?? upload.reason)}`,
        );
      }
    }
    const slowestMs = Math.max(...exitMs);
    check(slowestMs <= EXIT_WITHIN_MS, `exited after ${inSeconds(slowestMs)} s`);
    check(
      tally.dropped.length === 0,
      `${tally.dropped.length} requests dropped: ${[...new Set(tally.dropped)].join()}`,
    );
    record(
      `${STOPS} times SIGTERM, ${tally.responses} responses, ${tally.late} requests refused after the signal, exited within ${inSeconds(slowestMs)} s`,
    );
  },
);
