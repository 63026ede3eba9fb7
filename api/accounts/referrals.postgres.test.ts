import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { deleteAccount } from './leaving/delete-account.ts';

const { db, deps, signUp } = await createTestApp();

test('the referral code of an account that is being deleted does not delay a sign-up', async () => {
  const referrer = await signUp();
  await deleteAccount(deps, {
    userId: referrer.user.id,
    // While the deletion has locked the account.
    prepare: async () =>
      void (await signUp({ username: 'friend', referralCode: referrer.user.referralCode })),
  });
  expect(
    await db.sql`select username, referred_by from users where username in ('friend', ${referrer.user.username})`,
  ).toEqual([{ username: 'friend', referred_by: null }]);
});

test('a referrer whose row is locked for another reason is credited', async () => {
  const referrer = await signUp();
  const renaming = await db.sql.begin(async (sql) => {
    await sql`update users set username = 'renamed', points = points + 0 where id = ${referrer.user.id}`;
    const signingUp = signUp({ referralCode: referrer.user.referralCode });
    // Time for the sign-up to wait for the row.
    await sql`select pg_sleep(0.5)`;
    return { signingUp };
  });
  const friend = await renaming.signingUp;
  expect(await db.sql`select referred_by from users where id = ${friend.user.id}`).toEqual([
    { referred_by: referrer.user.id },
  ]);
});
