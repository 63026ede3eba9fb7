import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { type ApiResponse, creationOf, voteOf } from '#e2e/hard/changes.ts';
import { inSeconds } from '#e2e/hard/in-seconds.ts';
import { insertPolls, insertUsers } from '#e2e/hard/seed-data.ts';
import { clusterTest } from './cluster-test.ts';
import { LOAD, startLoad } from './running-load.ts';
import { S3Storage } from './s3-storage.ts';

const VOTES = 20_000;
const CHANGES_BETWEEN_STEPS = 150;
const KILLS = 3;
const OUTAGE_MS = 2_000;
const RECOVERED_WITHIN_MS = 5_000;

let storage: S3Storage;
beforeAll(async () => {
  storage = await S3Storage.start();
});
afterAll(() => storage.remove());

const isUnavailable = (response: ApiResponse | null) =>
  response?.status === 503 && response.headers.has('Retry-After');

clusterTest(
  {
    number: 6,
    name: 'kill -9 of the image storage',
    load: `${LOAD}; images in S3-compatible storage`,
    env: () => storage.env,
  },
  async (cluster, report) => {
    const { record, check } = report;
    const running = await startLoad(cluster, VOTES);
    const { users, polls } = await cluster.inspect(async (db) => ({
      users: await insertUsers(db, 1, 1_000),
      polls: await insertPolls(db, KILLS),
    }));
    const [user] = users;
    if (user === undefined) throw new Error('There is no user.');
    const recoveryMs: number[] = [];
    for (const poll of polls) {
      await running.advance(CHANGES_BETWEEN_STEPS);
      await storage.kill();
      const vote = await cluster.send(voteOf(user, poll, 1));
      check(vote?.status === 200, `a vote during the outage: ${vote?.status} ${vote?.text}`);
      const creation = await creationOf(user);
      const refused = await cluster.send(creation);
      check(isUnavailable(refused), `a new poll during the outage: ${refused?.status} ${refused?.text}`);
      await sleep(OUTAGE_MS);
      await storage.restart();
      const startedMs = performance.now();
      for (;;) {
        const response = await cluster.send(creation);
        if (response?.status === 201) break;
        if (!isUnavailable(response))
          throw new Error(`a new poll after the outage: ${response?.status} ${response?.text}`);
        await sleep(50);
      }
      recoveryMs.push(performance.now() - startedMs);
    }
    await running.finish(report);
    const slowestMs = Math.max(...recoveryMs);
    check(slowestMs <= RECOVERED_WITHIN_MS, `the first poll after ${inSeconds(slowestMs)} s`);
    record(
      `${KILLS} kills: votes succeed, new polls get 503, the first succeeds within ${inSeconds(slowestMs)} s of the restart`,
    );
  },
);
