import { pino } from 'pino';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeMailsDue, startSmtp, tokenIn } from '#api/testing/mails.ts';
import { withoutCheck } from '#api/testing/releases/later-release.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { createMailRunner, randomDelay } from './mail-runner.ts';
import { createMailer } from './mail-transport.ts';

const smtp = await startSmtp();
afterAll(() => smtp.stopListening());
const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
const from = { name: 'This or That?', address: 'hello@polls.example.org' };
const app = await createTestApp({ log, env: { mail: { smtpUrl: smtp.url, from } } });
const { db, deps, signUp, visitor } = app;

beforeEach(async () => {
  await db.sql`delete from mail_queue`;
  await db.sql`delete from email_tokens`;
  smtp.handling = 'accept';
  smtp.received = [];
  smtp.offers = 0;
  logged.length = 0;
});

function verify(token: string): Promise<Response> {
  return visitor().get(`/api/verify-email?token=${token}`);
}

async function readQueue() {
  return db.sql<{ attempts: number; lastError: string | null; isFailed: boolean; waitS: number }[]>`
    select attempts, last_error as "lastError", failed_at is not null as "isFailed",
      extract(epoch from next_attempt_at - now())::float as "waitS" from mail_queue`;
}

test('a mail is sent once, in plain text and in HTML, and its row is deleted', async () => {
  const { user } = await signUp({ username: 'win.example.com', email: 'Mara@example.org' });
  expect(user.isVerified).toBe(false);
  await deps.mails.runDue();
  await deps.mails.runDue();
  expect(smtp.received).toHaveLength(1);
  const [mail] = smtp.received;
  expect(mail?.from).toMatchObject(from);
  expect(mail?.to).toMatchObject([{ address: 'Mara@example.org' }]);
  expect(mail?.subject).toBe('Confirm your email for This or That?');
  expect(mail?.messageId).toMatch(/^<[0-9a-f-]{36}@polls\.example\.org>$/);
  expect(mail?.date).toBeDefined();
  expect(mail?.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
  const link = new RegExp(`${deps.env.publicUrl}/verify-email\\?token=[A-Za-z0-9_-]{43}`);
  expect(mail?.text).toMatch(link);
  expect(mail?.html).toMatch(link);
  // A mail program would turn this username into a link.
  expect(`${mail?.text} ${mail?.html}`).not.toContain('win.example.com');

  expect(await readQueue()).toEqual([]);
  const token = mail === undefined ? '' : tokenIn(mail);
  const tokens = await db.sql<{ row: string }[]>`select email_tokens::text as row from email_tokens`;
  expect(tokens).toHaveLength(1);
  expect(tokens[0]?.row).not.toContain(token);
  expect(logged.join('')).not.toContain(token);
  expect(logged.join('')).not.toContain('example.org');
  expect((await verify(token)).status).toBe(200);
});

test('a user who forgot the password gets a mail with a link that sets a new one', async () => {
  const { user } = await signUp();
  await db.sql`delete from mail_queue`;
  expect((await visitor().post('/api/forgot-password', { email: user.email })).status).toBe(200);
  await deps.mails.runDue();
  expect(smtp.received).toMatchObject([{ to: [{ address: user.email }] }]);
  const [mail] = smtp.received;
  expect(mail?.text).toContain(`${deps.env.publicUrl}/reset-password?token=`);
  const password = 'a brand new password';
  const token = mail === undefined ? '' : tokenIn(mail);
  expect((await visitor().post('/api/reset-password', { token, password })).status).toBe(200);
  expect((await visitor().post('/api/login', { username: user.username, password })).status).toBe(200);
});

test('mails that are due while the mail server is unavailable are each sent once later', async () => {
  const users = [await signUp(), await signUp(), await signUp()];
  await smtp.stopListening();
  for (let round = 0; round < 3; round++) {
    await deps.mails.runDue();
    await makeMailsDue(db);
  }
  expect((await readQueue()).map(({ attempts }) => attempts)).toEqual([3, 3, 3]);
  // No mail was delivered, so no token is kept.
  expect((await db.sql`select from email_tokens`).count).toBe(0);
  await smtp.listenAgain();
  await deps.mails.runDue();
  await makeMailsDue(db);
  await deps.mails.runDue();
  const addresses = smtp.received.flatMap(({ to = [] }) => to.map(({ address }) => address));
  expect(addresses.sort()).toEqual(users.map(({ user }) => user.email).sort());
  expect(await readQueue()).toEqual([]);
});

test.each(['rcpt', 'data'] as const)(
  'a mail that the mail server rejects temporarily (%s) is retried later',
  async (at) => {
    await signUp();
    smtp.handling = { at, code: 450, text: 'Come back later' };
    await deps.mails.runDue();
    const [mail] = await readQueue();
    expect(mail).toMatchObject({ attempts: 1, isFailed: false });
    expect(mail?.lastError).toContain('Come back later');
    // The first delay is 5 to 10 seconds, less the time that has passed since.
    expect(mail?.waitS).toBeGreaterThan(3);
    expect(mail?.waitS).toBeLessThanOrEqual(10);
    await deps.mails.runDue();
    expect(smtp.offers).toBe(1);
    smtp.handling = 'accept';
    await makeMailsDue(db);
    await deps.mails.runDue();
    expect(smtp.received).toHaveLength(1);
  },
);

test.each(['rcpt', 'data'] as const)(
  'a mail rejected permanently (%s) is stored as failed, and neither the stored reason nor the log has the recipient’s address',
  async (at) => {
    const { user } = await signUp();
    smtp.handling = { at, code: 550, text: `No such user ${user.email}` };
    await deps.mails.runDue();
    const [mail] = await readQueue();
    expect(mail).toMatchObject({ attempts: 1, isFailed: true });
    expect(mail?.lastError).toContain('No such user …');
    expect(mail?.lastError).not.toContain(user.email);
    expect(logged.join('')).toContain('A mail was given up');
    expect(logged.join('')).not.toContain(user.email);
    await makeMailsDue(db);
    await deps.mails.runDue();
    expect(smtp.offers).toBe(1);
    expect((await db.sql`select from email_tokens`).count).toBe(0);
  },
);

test('a mail that was rejected permanently can be requested again', async () => {
  const client = await signUp();
  smtp.handling = { at: 'rcpt', code: 550, text: 'Mailbox full' };
  await deps.mails.runDue();
  smtp.handling = 'accept';
  expect((await client.post('/api/resend-verification')).status).toBe(200);
  await deps.mails.runDue();
  expect(smtp.received).toHaveLength(1);
});

test('a rejected sender is never a permanent failure, because the operator can fix it', async () => {
  await signUp();
  smtp.handling = { at: 'from', code: 550, text: 'This sender is not allowed here' };
  await deps.mails.runDue();
  expect(await readQueue()).toMatchObject([{ attempts: 1, isFailed: false }]);
});

test('a mail is given up after three days, but not an hour before', async () => {
  await signUp();
  smtp.handling = { at: 'rcpt', code: 450, text: 'Come back later' };
  await db.sql`update mail_queue set created_at = now() - interval '2 days 23 hours'`;
  await deps.mails.runDue();
  expect(await readQueue()).toMatchObject([{ attempts: 1, isFailed: false }]);
  await db.sql`update mail_queue set created_at = now() - interval '3 days 1 minute'`;
  await makeMailsDue(db);
  await deps.mails.runDue();
  expect(await readQueue()).toMatchObject([{ attempts: 2, isFailed: true }]);
});

test('the recipient of a mail is looked up only after the delay, whether or not the email is known', async () => {
  const { user } = await signUp();
  await db.sql`delete from mail_queue`;
  for (const email of [user.email, 'nobody@example.org']) {
    await visitor().post('/api/forgot-password', { email });
  }
  const { promise: delayOver, resolve: endDelay } = Promise.withResolvers<void>();
  const runner = createMailRunner({
    db,
    mailer: createMailer(deps.env, log),
    log,
    exceptTo: '',
    delay: () => delayOver,
  });
  const done = runner.runDue();
  const countLeased = async () => (await db.sql`select from mail_queue where lease is not null`).count;
  await expect.poll(countLeased).toBe(2);
  expect(await db.sql`select from email_tokens`).toHaveLength(0);
  endDelay();
  await done;
  expect(smtp.received.map(({ to }) => to?.[0]?.address)).toEqual([user.email]);
  expect(await readQueue()).toEqual([]);
});

test('a mail that is requested again during a failing attempt is tried again at once, and only once', async () => {
  const client = await signUp();
  smtp.handling = { at: 'rcpt', code: 450, text: 'Come back later' };
  let attempts = 0;
  const delay = async () => {
    attempts += 1;
    if (attempts === 1) expect((await client.post('/api/resend-verification')).status).toBe(200);
  };
  const mailer = createMailer(deps.env, log);
  await createMailRunner({ db, mailer, log, exceptTo: '', delay }).runDue();
  expect(smtp.offers).toBe(2);
  const [mail] = await readQueue();
  expect(mail).toMatchObject({ attempts: 2, isFailed: false });
  expect(mail?.waitS).toBeGreaterThan(5);
});

test('weekly mails are sent without a delay', async () => {
  const { user } = await signUp();
  await db.sql`delete from mail_queue`;
  await db.sql`update users set is_verified = true where id = ${user.id}`;
  await db.sql`insert into mail_queue (purpose, user_id) values ('digest', ${user.id})`;
  let delays = 0;
  const runner = createMailRunner({
    db,
    mailer: createMailer(deps.env, log),
    log,
    exceptTo: '',
    digests: {
      compose: async () => ({ results: [], facts: ['Your polls got 1 vote.'] }),
      unsubscribeUrlOf: () => `${deps.env.publicUrl}/unsubscribe`,
    },
    delay: async () => {
      delays += 1;
    },
  });
  await runner.runDue();
  expect(smtp.received.map(({ to }) => to?.[0]?.address)).toEqual([user.email]);
  expect(delays).toBe(0);
});

test('the delay of a mail is random and at most two seconds', async () => {
  const waitsMs: number[] = [];
  for (const random of [0, 0.25, 1 - 1e-9]) {
    await randomDelay(
      () => random,
      async (ms) => void waitsMs.push(ms),
    );
  }
  expect(waitsMs).toEqual([0, 500, 1_999]);
});

test('a mail for an unknown purpose is left to processes of a later release', async () => {
  const { user } = await signUp();
  await withoutCheck(db, { table: 'mail_queue', name: 'mail_queue_recipient' }, async () => {
    await db.sql`update mail_queue set purpose = 'of-a-later-release'`;
    await deps.mails.runDue();
    const rows = await db.sql`select user_id, lease from mail_queue`;
    expect(rows).toEqual([{ user_id: user.id, lease: null }]);
  });
});
