import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '#api/db/client.ts';
import { inTransaction } from '#api/db/transaction.ts';
import { discardToken, type Letter, prepareLetter, voidOlderTokens } from './email-tokens.ts';
import { MailError } from './mail-error.ts';
import { type LeasedMail, leaseMails, putBack, removeMail } from './mail-queue.ts';
import type { Mailer } from './mail-transport.ts';

const POLL_INTERVAL_MS = 5_000;
const MAILS_AT_ONCE = 5;
const FIRST_RETRY_S = 10;
const RETRY_MAX_S = 3_600;
/** What is still under way then is cut off, and sent again once its lease has run out. */
const STOP_WITHIN_MS = 5_000;
const RECORD_ATTEMPTS = 30;
const RECORD_RETRY_MS = 1_000;

export type MailJob = {
  /** Looks for mails now instead of at the next round. Call it after the commit. */
  wake(): void;
  /** Sends what is due and resolves when nothing is left that is. */
  sendDue(): Promise<void>;
  /** Sends what is due, now and every few seconds. */
  start(): void;
  /** Finishes the mails under way and takes no more. */
  stop(): Promise<void>;
};

type MailJobOptions = {
  db: Database;
  mailer: Mailer;
  log: Logger;
  /** An address that no mail goes to. */
  exceptTo: string;
};

/**
 * Sends the queued mails. Any number of processes may do so on one database: a mail is leased to one of them,
 * and what a dying process leaves is taken up when its lease has run out.
 */
export function createMailJob({ db, mailer, log, exceptTo }: MailJobOptions): MailJob {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let state: 'idle' | 'sending' | 'sending, then again' | 'stopped' = 'idle';
  let round: Promise<void> = Promise.resolve();
  let lookAgain = () => {};

  async function sendDue(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    try {
      while (state !== 'stopped') {
        const woken = new Promise<void>((resolve) => {
          lookAgain = resolve;
        });
        const free = MAILS_AT_ONCE - underWay.size;
        for (const mail of free === 0 ? [] : await leaseMails(db, free)) {
          const sending = sendOne(mail).then(() => void underWay.delete(sending));
          underWay.add(sending);
        }
        if (underWay.size === 0) return;
        // A slow conversation takes one place and no more: whichever ends first makes room, also for what comes meanwhile.
        await Promise.race([...underWay, woken]);
      }
    } finally {
      await Promise.allSettled(underWay);
    }
  }

  async function sendOne(mail: LeasedMail): Promise<void> {
    const letter = await inTransaction(db, (tx) => prepareLetter(tx, mail));
    if (letter === null || letter.email === exceptTo) {
      await removeMail(db, mail);
      return;
    }
    try {
      await mailer.send(mail, letter, stopping.signal);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      await recordFailure(mail, letter, error);
      return;
    }
    await recordSent(mail, letter);
    log.info({ mailId: mail.id, purpose: mail.purpose, attempts: mail.attempts }, 'A mail was sent');
  }

  /** Insists, since a mail whose sending is forgotten is sent twice. */
  async function recordSent(mail: LeasedMail, letter: Letter): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await inTransaction(db, async (tx) => {
          if (await removeMail(tx, mail)) await voidOlderTokens(tx, letter.userId, mail);
        });
        return;
      } catch (error) {
        if (attempt === RECORD_ATTEMPTS || stopping.signal.aborted) throw error;
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  async function recordFailure(mail: LeasedMail, letter: Letter, error: MailError): Promise<void> {
    if (error.isCertain) await discardToken(db, letter.token);
    // Cut off by us: whoever comes after waits for the lease, in which an answer may still have counted.
    if (stopping.signal.aborted && !error.isCertain) return;
    const delayS = error.isFinal ? null : retryDelayS(mail.attempts);
    const outcome = await putBack(db, mail, { delayS, reason: error.message });
    log.warn(
      { mailId: mail.id, purpose: mail.purpose, attempts: mail.attempts, reason: error.message, outcome },
      outcome === 'failed' ? 'A mail was given up' : 'A mail could not be sent',
    );
  }

  function wake(): void {
    if (timer === undefined) return;
    lookAgain();
    if (state === 'sending') state = 'sending, then again';
    if (state !== 'idle') return;
    state = 'sending';
    round = sendDue()
      .catch((error: unknown) => log.error({ err: error }, 'The mails could not be looked after'))
      .then(() => {
        const isAskedAgain = state === 'sending, then again';
        if (state !== 'stopped') state = 'idle';
        if (isAskedAgain) wake();
      });
  }

  return {
    wake,
    sendDue,
    start: () => {
      timer = setInterval(wake, POLL_INTERVAL_MS);
      wake();
    },
    stop: async () => {
      clearInterval(timer);
      state = 'stopped';
      const cutOff = setTimeout(() => stopping.abort(), STOP_WITHIN_MS);
      await round;
      clearTimeout(cutOff);
    },
  };
}

/** Twice as long each time, up to an hour, less up to a half by chance, so that mails do not come in waves. */
export function retryDelayS(attempts: number, random: () => number = Math.random): number {
  const delayS = Math.min(RETRY_MAX_S, FIRST_RETRY_S * 2 ** Math.min(attempts - 1, 30));
  return delayS * (1 - random() / 2);
}
