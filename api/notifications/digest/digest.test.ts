import type { Email } from 'postal-mime';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeMailsDue, startSmtp } from '#api/testing/mails.ts';
import { openPoll, postVote } from '#api/testing/poll-factory.ts';
import { putBlock } from '#api/testing/reports.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { queueDigests } from './queue-digests.ts';

const smtp = await startSmtp();
afterAll(() => smtp.stopListening());
const from = { name: 'This or That?', address: 'hello@polls.example.org' };
const app = await createTestApp({ env: { mail: { smtpUrl: smtp.url, from } } });
const { db, deps, visitor } = app;

beforeEach(async () => {
  await db.sql`delete from mail_queue`;
  await db.sql`update polls set active = false`;
  await db.sql`update users set digest_at = now()`;
  smtp.handling = 'accept';
  smtp.received = [];
});

/** A user whose email is verified and whose weekly mail is due. */
async function userWithDueMail(): Promise<TestUser> {
  const account = await app.signUp();
  await db.sql`delete from mail_queue`;
  await db.sql`
    update users set is_verified = true, digest_at = now() - interval '8 days' where id = ${account.user.id}`;
  return account;
}

/** Makes the next weekly mail of a user due, as after a week. */
const makeNextMailDue = ({ user }: TestUser) =>
  db.sql`update users set digest_at = digest_at - interval '8 days' where id = ${user.id}`;

/** Sends all weekly mails that are due; returns the mails that the mail server has received. */
async function sendAll(): Promise<Email[]> {
  await queueDigests(deps);
  await deps.mails.runDue();
  return smtp.received.splice(0);
}

/** Creates a poll with ten responses wanted, whose last vote is cast: 2 votes for “Yes” and 8 for “No”. */
async function completePoll(maker: TestUser, question: string) {
  const poll = await openPoll(app, maker, { question, option1Caption: 'Yes', option2Caption: 'No' });
  await db.sql`update polls set votes1 = 2, votes2 = 7 where id = ${poll.id}`;
  await postVote(await app.signUp(), poll.id, 2);
  await db.sql`delete from mail_queue`;
  return poll;
}

const isWeeklyMailOn = async (account: TestUser): Promise<boolean> =>
  (await (await account.get('/api/user')).json()).weeklyMail;

const linkIn = ({ text = '' }: Email) => new URL(/\S+\/unsubscribe\?token=\S+/.exec(text)?.[0] ?? '');
const headerOf = (mail: Email | undefined, key: string) =>
  mail?.headers.find((header) => header.key === key)?.value;

describe('the weekly mail', () => {
  test('contains results, votes and open polls, in text and in HTML', async () => {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea <b>&\n coffee?');
    const otherUser = await app.signUp();
    const endingPoll = await openPoll(app, otherUser, { question: 'Visit evil.example?' });
    await db.sql`update polls set closes_at = now() + interval '1 day' where id = ${endingPoll.id}`;
    await db.sql`delete from mail_queue`;
    const [mail, ...furtherMails] = await sendAll();
    expect(furtherMails).toEqual([]);
    expect(mail?.to).toMatchObject([{ address: account.user.email }]);
    expect(mail?.subject).toBe('Your polls this week: the results');
    expect(mail?.text).toContain('Tea <b>& coffee?\nNo, 80%');
    expect(mail?.html).toContain('<b>Tea &lt;b&gt;&amp; coffee?</b><br>No, 80%');
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('Your polls got 1 vote.');
      expect(part).toContain('1 poll waits for your vote and ends within two days.');
      expect(part).toContain(`${deps.env.publicUrl}/home`);
      // The mail contains no text written by other users.
      expect(part).not.toContain('evil.example');
    }
  });

  test('counts an ending poll whose maker has deleted their account', async () => {
    await userWithDueMail();
    const endingPoll = await openPoll(app, await app.signUp());
    await db.sql`
      update polls set closes_at = now() + interval '1 day', user_id = null where id = ${endingPoll.id}`;
    await db.sql`delete from mail_queue`;
    const [mail] = await sendAll();
    expect(mail?.text).toContain('1 poll waits for your vote and ends within two days.');
  });

  test('is sent once a week, even by several processes and in further rounds', async () => {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea?');
    await Promise.all([1, 2, 3, 4].map(() => queueDigests(deps)));
    await Promise.all([deps.mails.runDue(), deps.mails.runDue()]);
    expect(smtp.received.splice(0)).toHaveLength(1);
    expect(await sendAll()).toEqual([]);
    await makeNextMailDue(account);
    expect(await sendAll()).toHaveLength(1);
  });

  test('is not sent when it would be empty', async () => {
    const account = await userWithDueMail();
    const blocked = await app.signUp();
    // Only polls of others that are shown to the user and still wait for their vote are counted.
    await openPoll(app, account);
    await openPoll(app, blocked);
    const votedPoll = await openPoll(app, await app.signUp());
    await db.sql`update polls set closes_at = now() + interval '1 day' where active`;
    await putBlock(account, blocked.user.username);
    await postVote(account, votedPoll.id, 1);
    await db.sql`delete from mail_queue`;
    expect(await sendAll()).toEqual([]);
    expect(await db.sql`select from mail_queue`).toHaveLength(0);
    // An empty mail counts too: the next one is due in a week, not in the next round.
    await completePoll(account, 'Later?');
    expect(await sendAll()).toEqual([]);
  });

  test.each([
    ['email is not verified', { is_verified: false }],
    ['switch is off', { wants_digest: false }],
    ['account is suspended', { is_suspended: true }],
    ['account is new', { digest_at: new Date().toISOString() }],
    ['account is about to be deleted', { deletion_due_at: new Date().toISOString(), deletion_polls: 'keep' }],
  ])('is not sent to a user whose %s', async (_case, columns) => {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea?');
    await db.sql`update users set ${db.sql(columns)} where id = ${account.user.id}`;
    expect(await sendAll()).toEqual([]);
  });

  test.each([
    ['switches it off', { wants_digest: false }],
    [
      'requests the deletion of the account',
      { deletion_due_at: new Date().toISOString(), deletion_polls: 'keep' },
    ],
  ])('is not sent when its user %s while it is queued', async (_case, columns) => {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea?');
    await queueDigests(deps);
    await db.sql`update users set ${db.sql(columns)} where id = ${account.user.id}`;
    await deps.mails.runDue();
    expect(smtp.received).toEqual([]);
    expect(await db.sql`select from mail_queue`).toHaveLength(0);
  });

  test('waits for an unavailable mail server and is sent once', async () => {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea?');
    await smtp.stopListening();
    expect(await sendAll()).toEqual([]);
    await smtp.listenAgain();
    await makeMailsDue(db);
    expect(await sendAll()).toHaveLength(1);
    expect(await sendAll()).toEqual([]);
  });
});

describe('the switch of the weekly mail', () => {
  test('is on by default, and the same on every device', async () => {
    const account = await app.signUp();
    expect(account.user.weeklyMail).toBe(true);
    const otherDevice = app.visitor();
    await otherDevice.post('/api/login', { username: account.user.username, password: account.password });
    for (let count = 0; count < 2; count += 1) {
      expect(await (await otherDevice.patch('/api/user', { weeklyMail: false })).json()).toMatchObject({
        weeklyMail: false,
        username: account.user.username,
      });
    }
    expect(await isWeeklyMailOn(account)).toBe(false);
    await account.patch('/api/user', { username: `${account.user.username}.x` });
    expect(await isWeeklyMailOn(account)).toBe(false);
    await account.patch('/api/user', { weeklyMail: true });
    expect(await isWeeklyMailOn(account)).toBe(true);
    expect((await account.patch('/api/user', { weeklyMail: 'no' })).status).toBe(400);
  });

  test('is not visible to other users', async () => {
    const [account, otherUser] = [await app.signUp(), await app.signUp()];
    const poll = await openPoll(app, account);
    expect(await (await otherUser.get(`/api/questions/${poll.id}`)).text()).not.toContain('weeklyMail');
  });
});

describe('the link of a weekly mail', () => {
  async function receiveMail() {
    const account = await userWithDueMail();
    await completePoll(account, 'Tea?');
    const [mail] = await sendAll();
    if (mail === undefined) throw new Error('There is no mail');
    return { account, mail, link: linkIn(mail) };
  }

  test('switches the mail off with one click, without a session, as mail programs do', async () => {
    const { account, mail, link } = await receiveMail();
    expect(headerOf(mail, 'list-unsubscribe')).toBe(`<${link.href}>`);
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(link.origin).toBe(deps.env.publicUrl);
    for (let count = 0; count < 2; count += 1) {
      const response = await app.app.request(link.href, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
      expect(response.status).toBe(200);
      expect(await isWeeklyMailOn(account)).toBe(false);
    }
  });

  test('is not in the reason of a failure, even if the mail server quotes it', async () => {
    const { account, link } = await receiveMail();
    await makeNextMailDue(account);
    smtp.handling = {
      at: 'data',
      code: 550,
      text: `Spam: ${link.host}${link.pathname}${link.search} is listed`,
    };
    await sendAll();
    const queued = await db.sql<{ reason: string }[]>`select last_error as reason from mail_queue`;
    expect(queued).toEqual([{ reason: expect.stringMatching(/Spam: .+ is listed/) }]);
    expect(queued[0]?.reason).not.toContain(link.searchParams.get('token'));
  });

  test('changes nothing when it is only opened', async () => {
    const { account, link } = await receiveMail();
    await visitor().get(link.pathname + link.search);
    await visitor().request(link.pathname + link.search, { method: 'HEAD' });
    expect(await isWeeklyMailOn(account)).toBe(true);
  });

  test('works only for its user and cannot be forged', async () => {
    const { account, link } = await receiveMail();
    const otherUser = await app.signUp();
    const token = link.searchParams.get('token') ?? '';
    const signature = token.slice(token.indexOf('.') + 1);
    const invalidTokens = [
      `${otherUser.user.id}.${signature}`,
      `0${token}`,
      `${token}x`,
      token.slice(0, -1),
      `${account.user.id}.`,
      `${account.user.id}`,
      'x',
    ];
    for (const invalidToken of invalidTokens) {
      const response = await visitor().request(`/unsubscribe?token=${encodeURIComponent(invalidToken)}`, {
        method: 'POST',
      });
      expect([invalidToken, response.status]).toEqual([invalidToken, 400]);
    }
    expect([await isWeeklyMailOn(account), await isWeeklyMailOn(otherUser)]).toEqual([true, true]);
  });

  test('gets status 200 even after the account is deleted', async () => {
    const { account, link } = await receiveMail();
    await db.sql`delete from users where id = ${account.user.id}`;
    const response = await visitor().request(link.pathname + link.search, { method: 'POST' });
    expect(response.status).toBe(200);
  });
});
