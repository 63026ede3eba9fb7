import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { Database } from '#api/db/client.ts';
import { TRANSACTIONAL_PURPOSES } from '#api/db/schema/mail.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { createLeaseRunner, type LeaseRunner } from '#api/jobs/lease-runner.ts';
import { releaseMessage, retryDelayS } from '#api/jobs/leases.ts';
import type { DigestSource } from './digest-mail.ts';
import { discardToken, voidOlderTokens } from './email-tokens.ts';
import { MailError } from './mail-error.ts';
import { advanceIfRequestedAgain, type LeasedMail, MAIL_QUEUE, removeMail } from './mail-queue.ts';
import type { Mailer } from './mail-transport.ts';
import { type Letter, prepareLetter } from './prepare-letter.ts';

const mails = new Counter({
  name: 'mails_total',
  help: 'Attempts to send a mail. outcome: sent, waiting (for another), failed (for good), gone (deleted or re-leased)',
  labelNames: ['purpose', 'outcome'],
});

/** Most of these mails only wait for their random delay; few are being sent. */
const MAILS_AT_ONCE = 10;
const DIGESTS_AT_ONCE = 2;
const DELAY_MAX_MS = 2_000;
const RETRY = { firstS: 10, maxS: 3_600 };
/** At a stop, attempts that take longer are aborted; their mails are sent again after their leases have expired. */
const STOP_WITHIN_MS = 5_000;
const RECORD_ATTEMPTS = 30;
const RECORD_RETRY_MS = 1_000;

type MailRunnerOptions = {
  db: Database;
  mailer: Mailer;
  log: Logger;
  /** An address to which no mail is sent, because nobody reads it. */
  exceptTo: string;
  /** Without this, no weekly mails are sent. */
  digests?: DigestSource;
  /**
   * Delays each mail, except weekly ones, before its recipient is looked up, as `randomDelay` does. Without this, there is no
   * delay.
   */
  delay?: () => Promise<unknown>;
};

/**
 * Waits for up to two seconds at random. Prevents account enumeration by timing: a mail is only prepared for known addresses,
 * and this work could slow down other calls right after a request for a new password.
 */
export function randomDelay(
  random: () => number = Math.random,
  wait: (ms: number) => Promise<unknown> = sleep,
) {
  return wait(Math.floor(random() * DELAY_MAX_MS));
}

/** Creates the runner that sends queued mails. */
export function createMailRunner({
  db,
  mailer,
  log,
  exceptTo,
  digests,
  delay,
}: MailRunnerOptions): LeaseRunner {
  async function sendOne(mail: LeasedMail, signal: AbortSignal): Promise<void> {
    // Nobody requests weekly mails, so their timing reveals nothing.
    if (mail.purpose !== 'digest') await delay?.();
    // The lease was lost, or the process is stopping.
    if (signal.aborted) return;
    const letter = await inTransaction(db, (tx) => prepareLetter(tx, mail, digests));
    if (letter === null || letter.email === exceptTo) {
      await removeMail(db, mail);
      return;
    }
    try {
      await mailer.send(mail, letter, signal);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      // If we have aborted the attempt and the mail may have been delivered, it is retried only once its lease has expired.
      if (!signal.aborted || error.isUndelivered) await recordFailure(mail, letter, error);
      return;
    }
    await recordSent(mail, letter, signal);
    mails.inc({ purpose: mail.purpose, outcome: 'sent' });
    log.info({ mailId: mail.id, purpose: mail.purpose, attempts: mail.attempts + 1 }, 'A mail was sent');
  }

  /** Retries on database errors, because a mail that is not recorded as sent would be sent again. */
  async function recordSent(mail: LeasedMail, letter: Letter, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await inTransaction(db, async (tx) => {
          if (await removeMail(tx, mail)) await voidOlderTokens(tx, letter, mail.id);
        });
        return;
      } catch (error) {
        if (attempt === RECORD_ATTEMPTS || signal.aborted) throw error;
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  async function recordFailure(mail: LeasedMail, letter: Letter, error: MailError): Promise<void> {
    if (error.isUndelivered && 'token' in letter) await discardToken(db, letter.token);
    const attempts = mail.attempts + 1;
    const delayS = error.isFinal ? null : retryDelayS(attempts, RETRY);
    const outcome = await inTransaction(db, async (tx) => {
      const released = await releaseMessage(tx, MAIL_QUEUE, mail, { delayS, reason: error.message });
      if (released === 'waiting') await advanceIfRequestedAgain(tx, mail);
      return released;
    });
    mails.inc({ purpose: mail.purpose, outcome });
    log.warn(
      { mailId: mail.id, purpose: mail.purpose, attempts, reason: error.message, outcome },
      outcome === 'failed' ? 'A mail was given up' : 'A mail could not be sent',
    );
  }

  // Users wait for transactional mails, but not for weekly ones. Purposes that only a later release knows are left to it.
  const transactional = TRANSACTIONAL_PURPOSES.map((purpose) => `'${purpose}'`).join();
  const lanes = [
    { condition: `purpose in (${transactional})`, concurrency: MAILS_AT_ONCE },
    { condition: "purpose = 'digest'", concurrency: DIGESTS_AT_ONCE },
  ];
  return createLeaseRunner({ db, log, queue: MAIL_QUEUE, lanes, run: sendOne, stopWithinMs: STOP_WITHIN_MS });
}
