import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { createLeaseRunner, type LeaseRunner } from '#api/jobs/lease-runner.ts';
import { retryDelayS } from '#api/jobs/leases.ts';
import { discardToken, type Letter, prepareLetter, voidTokens } from './email-tokens.ts';
import { MailError } from './mail-error.ts';
import { type LeasedMail, MAIL_QUEUE, putBack, removeMail } from './mail-queue.ts';
import type { Mailer } from './mail-transport.ts';

const MAILS_AT_ONCE = 5;
const RETRY = { firstS: 10, maxS: 3_600 };
/** What is still under way then is cut off, and sent again once its lease has run out. */
const STOP_WITHIN_MS = 5_000;
const RECORD_ATTEMPTS = 30;
const RECORD_RETRY_MS = 1_000;

type MailJobOptions = {
  db: Database;
  mailer: Mailer;
  log: Logger;
  /** An address that no mail goes to. */
  exceptTo: string;
};

export function createMailJob({ db, mailer, log, exceptTo }: MailJobOptions): LeaseRunner {
  async function sendOne(mail: LeasedMail, signal: AbortSignal): Promise<void> {
    const letter = await inTransaction(db, (tx) => prepareLetter(tx, mail));
    if (letter === null || letter.email === exceptTo) {
      await removeMail(db, mail);
      return;
    }
    try {
      await mailer.send(mail, letter, signal);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      // Cut off by us: whoever comes after waits for the lease, in which an answer may still have counted.
      if (!signal.aborted || error.isCertain) await recordFailure(mail, letter, error);
      return;
    }
    await recordSent(mail, letter, signal);
    log.info({ mailId: mail.id, purpose: mail.purpose, attempts: mail.attempts + 1 }, 'A mail was sent');
  }

  /** Insists, since a mail whose sending is forgotten is sent twice. */
  async function recordSent(mail: LeasedMail, letter: Letter, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await inTransaction(db, async (tx) => {
          if (await removeMail(tx, mail)) await voidTokens(tx, letter.userId, mail.purpose, mail.id);
        });
        return;
      } catch (error) {
        if (attempt === RECORD_ATTEMPTS || signal.aborted) throw error;
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  async function recordFailure(mail: LeasedMail, letter: Letter, error: MailError): Promise<void> {
    if (error.isCertain) await discardToken(db, letter.token);
    const attempts = mail.attempts + 1;
    const delayS = error.isFinal ? null : retryDelayS(attempts, RETRY);
    const outcome = await inTransaction(db, (tx) => putBack(tx, mail, { delayS, reason: error.message }));
    log.warn(
      { mailId: mail.id, purpose: mail.purpose, attempts, reason: error.message, outcome },
      outcome === 'failed' ? 'A mail was given up' : 'A mail could not be sent',
    );
  }

  const lanes = [{ atOnce: MAILS_AT_ONCE }];
  return createLeaseRunner({ db, log, queue: MAIL_QUEUE, lanes, run: sendOne, stopWithinMs: STOP_WITHIN_MS });
}
