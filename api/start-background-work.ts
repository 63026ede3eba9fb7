import { setTimeout as sleep } from 'node:timers/promises';
import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { startFileSweeps } from '#api/housekeeping/file-sweep.ts';
import { every, startHousekeeping } from '#api/housekeeping/housekeeping.ts';
import { queueDigests } from '#api/notifications/digest/queue-digests.ts';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { gatherPushes } from '#api/notifications/push/gather.ts';
import { hideReported } from '#api/reports/hide-reported.ts';
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts';
import type { Deps } from './deps.ts';

const PUSH_INTERVAL_MS = 10_000;
/**
 * How long a stop waits. Somewhat more than the time after which the runners interrupt their work. A statement that takes longer,
 * and what waits for it, fails when the database is closed.
 */
const STOP_TIMEOUT_MS = 6_000;

/**
 * Starts the work that is done outside of requests: the runners of the queues, and periodic work. The returned function lets
 * none of it begin again, and waits up to six seconds for its end; further calls return the same promise.
 */
export async function startBackgroundWork(deps: Deps): Promise<() => Promise<void>> {
  const logAs = (message: string) => (err: unknown) => deps.log.error({ err }, message);
  const stopSweeps = await startFileSweeps(deps, logAs('The sweep failed'));
  const runners = [deps.mails, deps.pushes, deps.exports, deps.jobs];
  for (const runner of runners) runner.start();
  const stopRounds = [
    stopSweeps,
    every(HOUR_MS, logAs('Accounts could not be deleted'), (signal) => deleteDueAccounts(deps, signal)),
    every(MINUTE_MS, logAs('Makers of expired polls could not be notified'), () => notifyOfExpiry(deps)),
    every(MINUTE_MS, logAs('Reported polls could not be hidden'), () => hideReported(deps)),
    every(MINUTE_MS, logAs('Weekly mails could not be queued'), () => queueDigests(deps)),
    every(PUSH_INTERVAL_MS, logAs('Push messages could not be queued'), () => gatherPushes(deps)),
    startHousekeeping(deps, logAs('The housekeeping failed')),
  ];

  async function stop(): Promise<void> {
    const stopped = Promise.all([
      ...runners.map((runner) => runner.stop()),
      ...stopRounds.map((stopRound) => stopRound()),
    ]);
    await Promise.race([stopped, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }
  let stopping: Promise<void> | null = null;
  return () => (stopping ??= stop());
}
