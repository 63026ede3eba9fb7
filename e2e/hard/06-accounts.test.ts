import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { cookieHeader } from '#api/testing/cookies.ts';
import { tokenIn } from '#api/testing/mails.ts';
import { REFERRAL_POINTS, SIGNUP_BONUS_POINTS } from '#shared/points/constants.ts';
import { type ApiResponse, countResponses, outcomeOf } from './changes.ts';
import { hardTest } from './hard-test.ts';
import type { Stage } from './stage.ts';

const PASSWORD = 'correct horse';
const NAME = 'registered';
const MAILS_WITHIN_MS = 120_000;

/** The name with capital letters where the bits of `number` are set, so that each spelling is different. */
const spellingOf = (number: number) =>
  [...NAME].map((letter, index) => ((number >> index) & 1 ? letter.toUpperCase() : letter)).join('');

/** Signs up, with retries while the server has too many passwords to hash. */
async function register(
  stage: Stage,
  fields: { username: string; email: string; referralCode?: string },
): Promise<ApiResponse> {
  for (;;) {
    const response = await stage.sendJson('POST', '/api/register', { password: PASSWORD, ...fields });
    if (response.code !== 'busy') return response;
    await sleep(100);
  }
}

hardTest(
  {
    number: 6,
    name: 'one username in different cases',
    load: '100 concurrent sign-ups with one username, then 100 with one email',
  },
  async (stage, { checkEqual }) => {
    await stage.start();
    const sameUsername = Array.from({ length: 100 }, (_, number) =>
      register(stage, { username: spellingOf(number), email: `address${number}@example.org` }),
    );
    const byName = countResponses(await Promise.all(sameUsername));
    checkEqual('with one username', byName, { 201: 1, taken: 99 });
    const sameEmail = Array.from({ length: 100 }, (_, number) =>
      register(stage, { username: `another${number}`, email: `${spellingOf(number)}@example.org` }),
    );
    const byEmail = countResponses(await Promise.all(sameEmail));
    checkEqual('with one email', byEmail, { 201: 1, taken: 99 });
  },
);

/** Waits until the server has written `count` mails. Returns their tokens by email. */
async function tokensOf(stage: Stage, count: number): Promise<Map<string, string>> {
  const folder = join(stage.dataDir, 'mail');
  const deadlineMs = performance.now() + MAILS_WITHIN_MS;
  for (;;) {
    const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    if (files.length >= count) {
      const mails = await Promise.all(
        files.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))),
      );
      return new Map(mails.map((mail) => [mail.to?.[0]?.address ?? '', tokenIn(mail)]));
    }
    if (performance.now() > deadlineMs) throw new Error(`${files.length} of ${count} mails were written`);
    await sleep(50);
  }
}

hardTest(
  {
    number: 7,
    name: 'referrals',
    load: '50 friends sign up concurrently, each sign-up sent twice, each verification link opened 20 times',
  },
  async (stage, { check, checkEqual }) => {
    await stage.start();
    const referrer = await register(stage, { username: 'referrer', email: 'referrer@example.org' });
    const cookie = cookieHeader(referrer);
    const { id, referralCode } = JSON.parse(referrer.text);
    const referrerUser = { userId: id, cookie };
    const readReferrer = async () => JSON.parse((await stage.get('/api/user', referrerUser)).text);

    const friends = Array.from({ length: 50 }, (_, number) => ({
      username: `friend${number}`,
      email: `friend${number}@example.org`,
      referralCode,
    }));
    const registered = countResponses(
      await Promise.all([...friends, ...friends].map((friend) => register(stage, friend))),
    );
    checkEqual('sign-ups', registered, { 201: 50, taken: 50 });
    const tokens = await tokensOf(stage, 51);
    const openings = friends.flatMap(({ email }) =>
      Array.from({ length: 20 }, () => `/api/verify-email?token=${tokens.get(email)}`),
    );
    const opened = countResponses(await Promise.all(openings.map((path) => stage.get(path))));
    checkEqual('links', opened, { 200: 1_000 });
    const { points, referralPoints } = await readReferrer();
    checkEqual('the points of the referrer', points, SIGNUP_BONUS_POINTS + 50 * REFERRAL_POINTS);
    checkEqual('the points for referrals', referralPoints, 50 * REFERRAL_POINTS);

    // Users cannot refer themselves: neither by signing up again with their username or email, nor by an account update, which
    // ignores the fields about referrals, nor by verifying their own email.
    for (const fields of [
      { username: 'referrer', email: 'other@example.org' },
      { username: 'other', email: 'REFERRER@example.org' },
    ]) {
      const { code } = await register(stage, { ...fields, referralCode });
      check(code === 'taken', `signed up again: ${code}`);
    }
    const update = { username: 'referrer', referralCode, referredBy: id };
    const updated = await stage.sendJson('PATCH', '/api/user', update, referrerUser);
    checkEqual('the account update', outcomeOf(updated), '200');
    const verified = await stage.get(`/api/verify-email?token=${tokens.get('referrer@example.org')}`);
    checkEqual('the link of the referrer', outcomeOf(verified), '200');
    checkEqual('the points of the referrer at the end', (await readReferrer()).points, points);
    await stage.stop();
    const selfReferrals = await stage.inspect(
      ({ sql }) => sql`
      select from users where referred_by = id
      union all select from point_entries where reason = 'referral' and source like 'referral:' || user_id || ':%'`,
    );
    check(selfReferrals.length === 0, 'a user was paid for referring themselves');
  },
);
