import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { leaseDue } from '#api/jobs/leases.ts';
import { makeMailsDue, startSmtp, tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { MAIL_QUEUE } from './mail-queue.ts';
import { createMailRunner } from './mail-runner.ts';
import { createMailer } from './mail-transport.ts';

const smtp = await startSmtp();
afterAll(() => smtp.stopListening());
const from = { name: 'This or That?', address: 'hello@polls.example.org' };
const { db, deps, signUp, visitor } = await createTestApp({ env: { mail: { smtpUrl: smtp.url, from } } });
const mailer = createMailer(deps.env, deps.log);

beforeEach(async () => {
  await db.sql`delete from mail_queue`;
  smtp.handling = 'accept';
  smtp.received = [];
});

const readQueue = () => db.sql`select attempts, failed_at as "failedAt" from mail_queue`;

test('a mail whose SMTP response is lost is sent again with the same Message-ID, and both links work', async () => {
  await signUp();
  smtp.handling = 'hang up after the mail';
  await deps.mails.runDue();
  expect(await readQueue()).toEqual([{ attempts: 1, failedAt: null }]);
  smtp.handling = 'accept';
  await makeMailsDue(db);
  await deps.mails.runDue();
  expect(smtp.received).toHaveLength(2);
  const [firstMail, secondMail] = smtp.received;
  expect(secondMail?.messageId).toBe(firstMail?.messageId);
  for (const mail of smtp.received) {
    expect((await visitor().get(`/api/verify-email?token=${tokenIn(mail)}`)).status).toBe(200);
  }
});

test('a mail leased by a killed process is sent after the lease expires', async () => {
  await signUp();
  expect(await leaseDue(db, MAIL_QUEUE, { limit: 5 })).toHaveLength(1);
  await deps.mails.runDue();
  expect(smtp.received).toEqual([]);
  await makeMailsDue(db);
  await deps.mails.runDue();
  expect(smtp.received).toHaveLength(1);
});

test('a mail sent just before the database became unavailable is recorded later, not sent again', async () => {
  await signUp();
  let transactions = 0;
  const begin: typeof db.sql.begin = (...work: unknown[]) => {
    transactions += 1;
    // The second transaction records that the mail was sent.
    if (transactions === 2) return Promise.reject(new Error('database unavailable'));
    return Reflect.apply(db.sql.begin, db.sql, work);
  };
  const sql = new Proxy(db.sql, {
    get: (target, key) => (key === 'begin' ? begin : Reflect.get(target, key)),
  });
  const runner = createMailRunner({ db: { ...db, sql }, mailer, log: deps.log, exceptTo: '' });
  await runner.runDue();
  expect(transactions).toBe(3);
  expect(await readQueue()).toEqual([]);
  expect(smtp.received).toHaveLength(1);
});

test('the runner sends queued mails at once after its start, and no further mails after a stop', async () => {
  // The runner's interval never passes. (With fake timers it would: `expect.poll` advances them.)
  vi.stubGlobal('setInterval', () => undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const runner = createMailRunner({ db, mailer, log: deps.log, exceptTo: '' });
  await signUp();
  runner.start();
  await expect.poll(() => smtp.received.length).toBe(1);
  const secondUser = await signUp();
  runner.wake();
  await expect.poll(() => smtp.received.length).toBe(2);
  await runner.stop();
  await secondUser.post('/api/resend-verification');
  runner.wake();
  await runner.runDue();
  expect(smtp.received).toHaveLength(2);
  expect(await readQueue()).toMatchObject([{ attempts: 0 }]);
});

test('a started runner sends a waiting mail once when the mail server is available again', async () => {
  const { user } = await signUp();
  await smtp.stopListening();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const runner = createMailRunner({ db, mailer, log: deps.log, exceptTo: '' });
  /** The number of attempts at each queued mail; -1 during an attempt. */
  const attemptsOfQueued = async () =>
    (
      await db.sql<{ attempts: number }[]>`
        select case when lease is null then attempts else -1 end as attempts from mail_queue`
    ).map(({ attempts }) => attempts);
  const startNextAttempt = async () => {
    await makeMailsDue(db);
    // After this time the runner looks for due mails again.
    vi.advanceTimersByTime(5_000);
  };
  try {
    runner.start();
    await expect.poll(attemptsOfQueued).toEqual([1]);
    await startNextAttempt();
    await expect.poll(attemptsOfQueued).toEqual([2]);
    await smtp.listenAgain();
    await startNextAttempt();
    await expect.poll(attemptsOfQueued).toEqual([]);
    vi.advanceTimersByTime(60_000);
  } finally {
    await runner.stop();
    vi.useRealTimers();
  }
  expect(smtp.received).toMatchObject([{ to: [{ address: user.email }] }]);
});

test('a hanging SMTP conversation delays no other mail', async () => {
  const runner = createMailRunner({ db, mailer, log: deps.log, exceptTo: '' });
  smtp.handling = 'keep waiting after the next mail only';
  for (let count = 0; count < 7; count++) await signUp();
  runner.start();
  await expect.poll(() => smtp.received.length).toBe(7);
  await signUp();
  runner.wake();
  await expect.poll(() => smtp.received.length).toBe(8);
  // Closes the hanging connection, for which the runner would wait.
  await smtp.stopListening();
  await runner.stop();
  await smtp.listenAgain();
});
