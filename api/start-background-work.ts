import { deleteDueAccounts } from '#api/housekeeping/due-deletions.ts';
import {
  everyHour,
  everyMinute,
  everyTenSeconds,
  startHousekeeping,
} from '#api/housekeeping/housekeeping.ts';
import { startImageSweeps } from '#api/housekeeping/image-sweep.ts';
import { sendDigests } from '#api/notifications/digest/send-digests.ts';
import { notifyOfExpiry } from '#api/notifications/expiry.ts';
import { gatherPushes } from '#api/notifications/push/gather.ts';
import { hideReported } from '#api/reports/hide-reported.ts';
import type { Deps } from './deps.ts';

/** Starts the work that no request causes: queues, and rounds at fixed intervals. `cleanup` ends it. */
export async function startBackgroundWork(deps: Deps, cleanup: AsyncDisposableStack): Promise<void> {
  const failed = (what: string) => (err: unknown) => deps.log.error({ err }, what);
  cleanup.defer(await startImageSweeps(deps, failed('The sweep failed')));
  for (const runner of [deps.mails, deps.pushes, deps.exports, deps.jobs]) {
    cleanup.defer(() => runner.stop());
    runner.start();
  }
  cleanup.defer(everyHour(() => deleteDueAccounts(deps), failed('Accounts could not be deleted')));
  cleanup.defer(everyMinute(() => notifyOfExpiry(deps), failed('Makers of expired polls could not be told')));
  cleanup.defer(everyMinute(() => hideReported(deps), failed('Reported polls could not be hidden')));
  cleanup.defer(everyMinute(() => sendDigests(deps), failed('Weekly mails could not be queued')));
  cleanup.defer(everyTenSeconds(() => gatherPushes(deps), failed('Push messages could not be queued')));
  cleanup.defer(startHousekeeping(deps, failed('The housekeeping failed')));
}
