import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import { every, startHousekeeping } from '#api/housekeeping/housekeeping.ts';
import { startImageSweeps } from '#api/housekeeping/image-sweep.ts';
import { sendDigests } from '#api/notifications/digest/send-digests.ts';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { gatherPushes } from '#api/notifications/push/gather.ts';
import { hideReported } from '#api/reports/hide-reported.ts';
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts';
import type { Deps } from './deps.ts';

const PUSH_INTERVAL_MS = 10_000;

/** Starts the work that no request triggers: queues and periodic work. `cleanup` stops it. */
export async function startBackgroundWork(deps: Deps, cleanup: AsyncDisposableStack): Promise<void> {
  const logAs = (message: string) => (err: unknown) => deps.log.error({ err }, message);
  cleanup.defer(await startImageSweeps(deps, logAs('The sweep failed')));
  for (const runner of [deps.mails, deps.pushes, deps.exports, deps.jobs]) {
    cleanup.defer(() => runner.stop());
    runner.start();
  }
  const repeat = (intervalMs: number, failure: string, work: () => Promise<void>) =>
    cleanup.defer(every(intervalMs, logAs(failure), work));
  repeat(HOUR_MS, 'Accounts could not be deleted', () => deleteDueAccounts(deps));
  repeat(MINUTE_MS, 'Makers of expired polls could not be notified', () => notifyOfExpiry(deps));
  repeat(MINUTE_MS, 'Reported polls could not be hidden', () => hideReported(deps));
  repeat(MINUTE_MS, 'Weekly mails could not be queued', () => sendDigests(deps));
  repeat(PUSH_INTERVAL_MS, 'Push messages could not be queued', () => gatherPushes(deps));
  cleanup.defer(startHousekeeping(deps, logAs('The housekeeping failed')));
}
