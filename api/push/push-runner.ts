import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { Database, Handle } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { createLeaseRunner, type LeaseRunner } from '#api/jobs/lease-runner.ts';
import { releaseMessage, retryDelayS } from '#api/jobs/leases.ts';
import { findTarget, type LeasedPush, PUSH_QUEUE, removePush, removeSubscription } from './push-queue.ts';
import { PushError, type PushSender, type PushTarget } from './push-transport.ts';

const pushes = new Counter({
  name: 'pushes_total',
  help: 'Attempts to send a push message to a device. outcome: sent, waiting (for the next attempt), failed (for good), gone (the subscription no longer exists, or another process has taken the message over)',
  labelNames: ['outcome'],
});

/** Two, so that new messages do not wait for retries, all of which may go to endpoints that do not respond. */
const LANES = [
  { condition: 'attempts = 0', concurrency: 25 },
  { condition: 'attempts > 0', concurrency: 10 },
];
/** From this attempt on, one to two hours after the first, a message that gets no response is given up. */
const ATTEMPTS_MAX_WITHOUT_RESPONSE = 12;
const RETRY = { firstS: 10, maxS: 1_800 };
const STOP_WITHIN_MS = 5_000;

type PushRunnerOptions = {
  db: Database;
  log: Logger;
  sender: PushSender;
  /** The content of a message, as JSON, about a user's notifications in a range of ids; null if none is unread any more. */
  compose(handle: Handle, about: { userId: number; firstId: number; lastId: number }): Promise<string | null>;
};

/**
 * Creates the runner that sends queued push messages. If a process dies after the push service has accepted a message but
 * before that is recorded, the message is sent again and replaces its first copy on the device.
 */
export function createPushRunner({ db, log, sender, compose }: PushRunnerOptions): LeaseRunner {
  async function sendOne(push: LeasedPush, signal: AbortSignal): Promise<void> {
    const target = await findTarget(db, push);
    const content = target && (await compose(db, { ...push, userId: target.userId }));
    if (target === null || content === null) {
      await removePush(db, push);
      return;
    }
    try {
      await sender.send(target, content, `n${push.lastId}`, signal);
    } catch (error) {
      if (!(error instanceof PushError)) throw error;
      // If this process has aborted the attempt, the message keeps its lease and is retried when the lease expires.
      if (!signal.aborted) await recordFailure(push, target, error);
      return;
    }
    await removePush(db, push);
    pushes.inc({ outcome: 'sent' });
    log.debug({ pushId: push.id, attempts: push.attempts + 1 }, 'A push message was sent');
  }

  async function recordFailure(push: LeasedPush, target: PushTarget, error: PushError): Promise<void> {
    if (error.kind === 'unsubscribed') {
      await removeSubscription(db, push, target);
      pushes.inc({ outcome: 'gone' });
      return;
    }
    const attempts = push.attempts + 1;
    const isHopeless =
      error.kind === 'permanent' || (error.kind === 'timeout' && attempts >= ATTEMPTS_MAX_WITHOUT_RESPONSE);
    const delayS = isHopeless ? null : Math.max(error.retryAfterS, retryDelayS(attempts, RETRY));
    const outcome = await inTransaction(db, (tx) =>
      releaseMessage(tx, PUSH_QUEUE, push, { delayS, reason: error.message }),
    );
    pushes.inc({ outcome });
    log.warn(
      { pushId: push.id, attempts, reason: error.message, outcome },
      outcome === 'failed' ? 'A push message was given up' : 'A push message could not be sent',
    );
  }

  return createLeaseRunner({
    db,
    log,
    queue: PUSH_QUEUE,
    lanes: LANES,
    run: sendOne,
    stopWithinMs: STOP_WITHIN_MS,
  });
}
