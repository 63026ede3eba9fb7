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

/** Starts the work that is done outside of requests: the runners of the queues, and periodic work. `cleanup` stops it. */
export async function startBackgroundWork(deps: Deps, cleanup: AsyncDisposableStack): Promise<void> {
  const logAs = (message: string) => (err: unknown) => deps.log.error({ err }, message);
  cleanup.defer(await startFileSweeps(deps, logAs('The sweep failed')));
  for (const runner of [deps.mails, deps.pushes, deps.exports, deps.jobs]) {
    cleanup.defer(() => runner.stop());
    runner.start();
  }
  cleanup.defer(every(HOUR_MS, logAs('Accounts could not be deleted'), () => deleteDueAccounts(deps)));
  cleanup.defer(
    every(MINUTE_MS, logAs('Makers of expired polls could not be notified'), () => notifyOfExpiry(deps)),
  );
  cleanup.defer(every(MINUTE_MS, logAs('Reported polls could not be hidden'), () => hideReported(deps)));
  cleanup.defer(every(MINUTE_MS, logAs('Weekly mails could not be queued'), () => queueDigests(deps)));
  cleanup.defer(
    every(PUSH_INTERVAL_MS, logAs('Push messages could not be queued'), () => gatherPushes(deps)),
  );
  cleanup.defer(startHousekeeping(deps, logAs('The housekeeping failed')));
}
