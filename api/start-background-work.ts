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

/** Starts the work that no request triggers: queues and periodic work. `cleanup` stops it. */
export async function startBackgroundWork(deps: Deps, cleanup: AsyncDisposableStack): Promise<void> {
  const logAs = (message: string) => (err: unknown) => deps.log.error({ err }, message);
  cleanup.defer(await startImageSweeps(deps, logAs('The sweep failed')));
  for (const runner of [deps.mails, deps.pushes, deps.exports, deps.jobs]) {
    cleanup.defer(() => runner.stop());
    runner.start();
  }
  cleanup.defer(everyHour(() => deleteDueAccounts(deps), logAs('Accounts could not be deleted')));
  cleanup.defer(
    everyMinute(() => notifyOfExpiry(deps), logAs('Makers of expired polls could not be notified')),
  );
  cleanup.defer(everyMinute(() => hideReported(deps), logAs('Reported polls could not be hidden')));
  cleanup.defer(everyMinute(() => sendDigests(deps), logAs('Weekly mails could not be queued')));
  cleanup.defer(everyTenSeconds(() => gatherPushes(deps), logAs('Push messages could not be queued')));
  cleanup.defer(startHousekeeping(deps, logAs('The housekeeping failed')));
}
