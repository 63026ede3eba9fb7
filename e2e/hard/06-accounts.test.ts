import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { tokenIn } from '#api/testing/mails.ts';
import { type Answer, countAnswers } from './changes.ts';
import { hardTest } from './hard-test.ts';
import type { Stage } from './stage.ts';

const PASSWORD = 'correct horse';
const NAME = 'registered';
const MAILS_WITHIN_MS = 120_000;

/** The name with capital letters where the bits of `nth` are set: never the same twice. */
const spelt = (nth: number) =>
  [...NAME].map((letter, place) => ((nth >> place) & 1 ? letter.toUpperCase() : letter)).join('');

/** Registers again for as long as too many passwords wait. */
async function register(
  stage: Stage,
  fields: { username: string; email: string; referralCode?: string },
): Promise<Answer> {
  for (;;) {
    const answer = await stage.post('/api/register', { password: PASSWORD, ...fields });
    if (answer.code !== 'busy') return answer;
    await sleep(100);
  }
}

hardTest(
  6,
  'one name in other cases',
  '100 registrations of a name and 100 of an address at once',
  async (stage, { check }) => {
    await stage.start();
    const names = Array.from({ length: 100 }, (_, nth) =>
      register(stage, { username: spelt(nth), email: `address${nth}@example.org` }),
    );
    const byName = countAnswers(await Promise.all(names));
    check(JSON.stringify(byName) === '{"201":1,"taken":99}', `of one name: ${JSON.stringify(byName)}`);
    const addresses = Array.from({ length: 100 }, (_, nth) =>
      register(stage, { username: `another${nth}`, email: `${spelt(nth)}@example.org` }),
    );
    const byAddress = countAnswers(await Promise.all(addresses));
    check(
      JSON.stringify(byAddress) === '{"201":1,"taken":99}',
      `of one address: ${JSON.stringify(byAddress)}`,
    );
  },
);

/** The tokens of the mails that the server has written, by address, once there are as many. */
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
  7,
  'referrals',
  '50 friends at once, each registration sent twice, each link opened 20 times at once',
  async (stage, { check }) => {
    await stage.start();
    const referrer = await register(stage, { username: 'referrer', email: 'referrer@example.org' });
    const cookie = referrer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const { id, referralCode } = JSON.parse(referrer.text);
    const me = { userId: id, cookie };
    const points = async () => JSON.parse((await stage.get('/api/user', me)).text);

    const friends = Array.from({ length: 50 }, (_, nth) => ({
      username: `friend${nth}`,
      email: `friend${nth}@example.org`,
      referralCode,
    }));
    const registered = countAnswers(
      await Promise.all([...friends, ...friends].map((friend) => register(stage, friend))),
    );
    check(
      JSON.stringify(registered) === '{"201":50,"taken":50}',
      `registrations: ${JSON.stringify(registered)}`,
    );
    const tokens = await tokensOf(stage, 51);
    const openings = friends.flatMap(({ email }) =>
      Array.from({ length: 20 }, () => `/api/verify-email?token=${tokens.get(email)}`),
    );
    const opened = countAnswers(await Promise.all(openings.map((path) => stage.get(path))));
    check(JSON.stringify(opened) === '{"200":1000}', `links: ${JSON.stringify(opened)}`);
    const paid = await points();
    check(
      paid.points === 10 + 50 * 10 && paid.referralPoints === 500,
      `the referrer has ${JSON.stringify(paid)}`,
    );

    // To oneself: by the own name or address, or as a field of one's own.
    for (const fields of [
      { username: 'referrer', email: 'other@example.org' },
      { username: 'other', email: 'REFERRER@example.org' },
    ]) {
      const { code } = await register(stage, { ...fields, referralCode });
      check(code === 'taken', `registered once more: ${code}`);
    }
    await stage.post('/api/user', { username: 'referrer', referralCode, referredBy: id }, me, 'PATCH');
    await stage.get(`/api/verify-email?token=${tokens.get('referrer@example.org')}`);
    const after = await points();
    check(after.points === paid.points, `the referrer has ${after.points} points instead of ${paid.points}`);
    await stage.stop();
    const own = await stage.inspect(
      ({ sql }) => sql`
      select from users where referred_by = id
      union all select from point_entries where reason = 'referral' and source like 'referral:' || user_id || ':%'`,
    );
    check(own.length === 0, 'somebody was paid for oneself');
  },
);
