import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { startSmtp, tokenIn } from '#api/testing/mails.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { createServerData, startServerProcess } from '#api/testing/servers/server-process.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { createMailRunner } from './mail-runner.ts';
import { createMailer } from './mail-transport.ts';

const MAIL_COUNT = 60;

const smtp = await startSmtp();
afterAll(() => smtp.stopListening());
const from = { name: 'This or That?', address: 'hello@polls.example.org' };

test('three runners on one database send each mail once', async () => {
  const sharedDb = await createTestDatabase();
  onTestFinished(() => sharedDb.close());
  const app = await createTestApp({ db: sharedDb, env: { mail: { smtpUrl: smtp.url, from } } });
  await Promise.all(Array.from({ length: MAIL_COUNT }, () => app.signUp()));
  const log = pino({ level: 'silent' });
  const databases = Array.from({ length: 3 }, () => openPostgres(sharedDb.url ?? '', { connections: 4 }));
  const runners = databases.map((db) =>
    createMailRunner({ db, mailer: createMailer(app.deps.env, log), log, exceptTo: '' }),
  );
  await Promise.all(runners.map((runner) => runner.runDue()));
  await Promise.all(databases.map((db) => db.close()));
  expect(smtp.offers).toBe(MAIL_COUNT);
  expect(new Set(smtp.received.map(({ to }) => to?.[0]?.address)).size).toBe(MAIL_COUNT);
  expect((await sharedDb.sql`select from mail_queue`).count).toBe(0);
});

test('a mail survives kill -9 of the server while it is sent', async () => {
  const data = await createServerData();
  const db = openPostgres(data.env.DATABASE_URL ?? '', { connections: 1 });
  onTestFinished(async () => {
    await db.close();
    await data.remove();
  });
  const env = { ...data.env, SMTP_URL: smtp.url, MAIL_FROM: 'hello@polls.example.org' };
  smtp.received = [];
  smtp.handling = 'keep waiting after the mail';
  const firstServer = await startServerProcess(env);
  await firstServer.listening;
  const account = { username: 'mara', email: 'mara@example.org', password: 'correct horse' };
  const response = await fetch(`${firstServer.address}/api/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  expect(response.status).toBe(201);
  await expect.poll(() => smtp.received.length).toBe(1);
  firstServer.child.kill('SIGKILL');
  await firstServer.exited;

  // The mail was delivered, but its delivery was not recorded: it is sent again with the same Message-ID, and both links work.
  smtp.handling = 'accept';
  await db.sql`update mail_queue set leased_until = now() - interval '1 second'`;
  const secondServer = await startServerProcess(env);
  await secondServer.listening;
  await expect.poll(async () => (await db.sql`select from mail_queue`).count).toBe(0);
  const [firstCopy, secondCopy, ...furtherCopies] = smtp.received;
  expect(furtherCopies).toEqual([]);
  expect(firstCopy?.messageId).toBeDefined();
  expect(secondCopy?.messageId).toBe(firstCopy?.messageId);
  for (const mail of smtp.received) {
    const verified = await fetch(`${secondServer.address}/api/verify-email?token=${tokenIn(mail)}`);
    expect(verified.status).toBe(200);
    expect(secondServer.stdout()).not.toContain(tokenIn(mail));
  }
  secondServer.child.kill('SIGTERM');
  expect(await secondServer.exited).toBe(0);
}, 60_000);

test('an SMTP server that does not acknowledge a mail does not prevent the shutdown, and the mail stays leased', async () => {
  const app = await createTestApp({ env: { mail: { smtpUrl: smtp.url, from } } });
  smtp.handling = 'keep waiting after the mail';
  smtp.received = [];
  await app.signUp();
  app.deps.mails.start();
  await expect.poll(() => smtp.received.length).toBe(1);
  const startMs = performance.now();
  await app.deps.mails.stop();
  // A stop waits at most 5 seconds for attempts.
  expect(performance.now() - startMs).toBeLessThan(7_000);
  const [row] = await app.db.sql<[{ isLeased: boolean }]>`
    select leased_until > now() as "isLeased" from mail_queue`;
  expect(row.isLeased).toBe(true);
});
