import type { Database } from '#api/db/client.ts';
import { openSession } from '#api/http/session/sessions.ts';
import { seedPolls } from '#api/testing/poll-factory.ts';
import type { TestUser } from './changes.ts';

/** Inserts users with `points` points and a session each. */
export async function insertUsers(
  db: Database,
  count: number,
  points: number,
  { isAdmin = false } = {},
): Promise<TestUser[]> {
  const prefix = crypto.randomUUID().slice(0, 8);
  const rows = await db.sql<{ id: number }[]>`
    with new_users as (
      insert into users (username, email, password_hash, referral_code, points, is_admin)
      select ${prefix} || n, ${prefix} || n || '@example.org', 'none', upper(${prefix} || 'X' || n),
        ${points}::int, ${isAdmin}
      from generate_series(1, ${count}::int) n returning id
    ), new_entries as (
      insert into point_entries (user_id, delta, reason, source)
      select id, ${points}::int, 'signup', 'signup' from new_users where ${points}::int > 0
    )
    select id from new_users order by id`;
  const users: TestUser[] = [];
  for (const { id } of rows) users.push({ userId: id, cookie: `sid=${await openSession(db, id)}` });
  return users;
}

/** Inserts sample polls, which have no maker, to vote on. */
export async function insertPolls(db: Database, count: number, responsesWanted = 1_000): Promise<string[]> {
  const [maker] = await insertUsers(db, 1, 0);
  const ids = await seedPolls({ db }, maker?.userId ?? 0, count);
  await db.sql`
    update polls set is_sample = true, user_id = null, responses_wanted = ${responsesWanted}
    where user_id = ${maker?.userId ?? 0}`;
  return ids;
}
