import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenLocally } from '#api/testing/servers/local-server.ts';
import { median } from '#bench/load/quantiles.ts';
import { inSeconds } from '#e2e/hard/in-seconds.ts';
import { clusterTest } from './cluster-test.ts';
import { openListeners } from './listeners.ts';
import { LOAD, startLoad } from './running-load.ts';

const VOTES = 40_000;
const CHANGES_BETWEEN_STEPS = 150;
const RECOVERED_WITHIN_MS = 5_000;

const PROCESS_KILLS = 6;

clusterTest({ number: 2, name: 'kill -9 of a server process', load: LOAD }, async (cluster, report) => {
  const { record, check } = report;
  const running = await startLoad(cluster, VOTES);
  const listeners = await openListeners(cluster);
  const readyMs: number[] = [];
  const liveMs: number[] = [];
  for (let kill = 0; kill < PROCESS_KILLS; kill += 1) {
    await running.advance(CHANGES_BETWEEN_STEPS);
    const index = kill % cluster.ports.length;
    await cluster.endProcess(index, 'SIGKILL');
    await running.advance(CHANGES_BETWEEN_STEPS);
    liveMs.push(await listeners.waitForUpdates());
    readyMs.push(await cluster.startProcess(index));
  }
  await running.finish(report);
  const { badGateways, interrupted, unavailable } = running.load;
  // nginx does not buffer the images of a new poll, so it cannot retry the request.
  const votesWithBadGateway = badGateways.filter(({ contentType }) => contentType === 'application/json');
  check(
    votesWithBadGateway.length + interrupted + unavailable === 0,
    `not passed to another process: ${votesWithBadGateway.length} votes got 502, ${interrupted} changes no response, ${unavailable} 503`,
  );
  record(
    `${PROCESS_KILLS} kills, ready after ${inSeconds(median(readyMs))} s (median); ${listeners.losses()} sockets lost, ` +
      `live updates within ${inSeconds(Math.max(...liveMs))} s of the ${CHANGES_BETWEEN_STEPS}th change after the kill`,
  );
});

const BOUNCER_KILLS = 4;
const OUTAGE_MS = 2_000;

clusterTest({ number: 3, name: 'kill -9 of pgbouncer', load: LOAD }, async (cluster, report) => {
  const { record, check } = report;
  const running = await startLoad(cluster, VOTES);
  const listeners = await openListeners(cluster);
  const recoveryMs: number[] = [];
  const liveMs: number[] = [];
  for (let kill = 0; kill < BOUNCER_KILLS; kill += 1) {
    await running.advance(CHANGES_BETWEEN_STEPS);
    await cluster.bouncer.kill();
    await sleep(OUTAGE_MS);
    const health = await cluster.request('/api/health');
    check(health.status === 200, `health during the outage: ${health.status}`);
    await cluster.bouncer.restart();
    const startedMs = performance.now();
    await running.advance(1);
    recoveryMs.push(performance.now() - startedMs);
    liveMs.push(await listeners.waitForUpdates());
  }
  await running.finish(report);
  const slowestMs = Math.max(...recoveryMs);
  check(slowestMs <= RECOVERED_WITHIN_MS, `the first 200 after ${inSeconds(slowestMs)} s`);
  check(running.load.unavailable > 0, 'no response said that the database was unavailable');
  check(running.load.interrupted === 0, `${running.load.interrupted} requests got no response`);
  record(
    `${BOUNCER_KILLS} kills, first 200 within ${inSeconds(slowestMs)} s of the restart, ` +
      `live updates within another ${inSeconds(Math.max(...liveMs))} s`,
  );
});

/** Longer than the time for which nginx avoids a server that has failed (`fail_timeout` in deploy/nginx.conf). */
const AVOIDED_AFTER_FAILURE_MS = 2_000;

clusterTest(
  { number: 8, name: 'retries by nginx', load: 'requests whose connection breaks after their arrival' },
  async (cluster, { check, checkEqual, record }) => {
    const arrived: string[] = [];
    const breakingServers = [0, 1].map(() =>
      createServer((request) => {
        arrived.push(`${request.method} ${request.url}`);
        request.socket.destroy();
      }),
    );
    await cluster.nginx.balance(await Promise.all(breakingServers.map((server) => listenLocally(server))));
    const countAttempts = async (path: string, init: RequestInit) => {
      arrived.length = 0;
      const response = await cluster.request(path, init);
      check(response.status === 502, `${path} got ${response.status}`);
      await sleep(AVOIDED_AFTER_FAILURE_MS);
      return arrived.length;
    };
    const keyHeader = { 'Idempotency-Key': crypto.randomUUID() };
    const jsonHeader = { 'Content-Type': 'application/json' };
    const counts = {
      read: await countAttempts('/api/questions', {}),
      'sign-up': await countAttempts('/api/register', { method: 'POST', body: '{}' }),
      'vote with a key': await countAttempts('/api/questions/1/vote', {
        method: 'POST',
        body: '{}',
        headers: { ...keyHeader, ...jsonHeader },
      }),
      'new poll': await countAttempts('/api/questions', {
        method: 'POST',
        body: new FormData(),
        headers: keyHeader,
      }),
      batch: await countAttempts('/api/batch', { method: 'POST', body: '{}' }),
    };
    for (const server of breakingServers) server.close();
    await cluster.nginx.balance(cluster.ports);
    // nginx retries only what may be repeated and what it has buffered; a sign-up has no key, and a new poll is not buffered.
    const expected = { read: 2, 'sign-up': 1, 'vote with a key': 2, 'new poll': 1, batch: 2 };
    checkEqual('attempts', counts, expected);
    record(`attempts: ${JSON.stringify(counts)}`);
  },
);
