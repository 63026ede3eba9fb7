import { setTimeout as sleep } from 'node:timers/promises';
import { inSeconds } from '#e2e/hard/in-seconds.ts';
import { clusterTest } from './cluster-test.ts';
import { openListeners } from './listeners.ts';
import { LOAD, startLoad } from './running-load.ts';

const VOTES = 20_000;
const CHANGES_BETWEEN_STEPS = 400;
const OUTAGE_MS = 3_000;
const RECOVERED_WITHIN_MS = 10_000;

clusterTest(
  {
    number: 4,
    name: 'failover to the PostgreSQL standby',
    load: `${LOAD}; each commit confirmed by the standby`,
  },
  async (cluster, report) => {
    const { record, check } = report;
    const running = await startLoad(cluster, VOTES);
    const listeners = await openListeners(cluster);
    await running.advance(CHANGES_BETWEEN_STEPS);
    await cluster.postgres.killPrimary();
    await sleep(OUTAGE_MS);
    const health = await cluster.request('/api/health');
    check(health.status === 200, `health during the outage: ${health.status}`);
    const ready = await cluster.request('/api/ready');
    const isUnavailable = ready.status === 503 && ready.headers.has('Retry-After');
    check(isUnavailable, `readiness during the outage: ${ready.status} ${ready.text}`);
    const startedMs = performance.now();
    await cluster.postgres.promote();
    await cluster.bouncer.pointAt(cluster.postgres.port);
    await running.advance(1);
    const recoveryMs = performance.now() - startedMs;
    const liveMs = await listeners.waitForUpdates();
    await running.advance(CHANGES_BETWEEN_STEPS);
    await running.finish(report);
    check(recoveryMs <= RECOVERED_WITHIN_MS, `the first 200 after ${inSeconds(recoveryMs)} s`);
    check(running.load.unavailable > 0, 'no response said that the database was unavailable');
    check(running.load.interrupted === 0, `${running.load.interrupted} requests got no response`);
    record(
      `standby promoted ${inSeconds(OUTAGE_MS)} s after the kill of the primary: first 200 ${inSeconds(recoveryMs)} s later, ` +
        `live updates after another ${inSeconds(liveMs)} s`,
    );
  },
);
