import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';
import { sumReferralPoints } from './queries.ts';

const app = await createTestApp();
const { db } = app;

test('the points of referrals are read from an index without votes, also with a plan for all users', async () => {
  const { user } = await app.signUp();
  await db.sql`
    insert into point_entries (user_id, delta, reason, source)
    select ${user.id}, 1, 'vote', 'vote:' || no from generate_series(1, 3000) no`;
  await db.sql`analyze point_entries`;
  const plan = await db.sql.begin(async (sql) => {
    await sql`set local plan_cache_mode = force_generic_plan`;
    const { sql: text, params } = sumReferralPoints(db, user.id).toSQL();
    await sql.unsafe(`prepare referrals as ${text}`);
    return sql.unsafe(`explain execute referrals(${params.map((param) => `'${param}'`).join()})`);
  });
  expect(JSON.stringify(plan)).toContain('point_entries_referral');
});
