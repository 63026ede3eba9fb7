import postgres from 'postgres';
import { migratePostgres } from '#api/db/migrate.ts';

export const SCALE = { users: 100_000, polls: 1_000_000 };
export type Scale = typeof SCALE;
/** How far back the oldest poll and the oldest account are. */
const SPAN_DAYS = 730;
export const FIRST_USER_ID = 1_000;
/** Coprime to the number of users: the voters of one poll are all different, and none of them is its maker. */
const STEP_TO_NEXT_VOTER = 4_729;
const VOTES_OF_POLL_MAX = 10;
/** Every tenth poll is by one of so many makers, who have thousands each. */
const PROLIFIC_MAKERS = 10;

const ADJECTIVES =
  'amber brave calm dusty eager fuzzy gentle happy icy jolly kind lucky mellow noble odd proud';
const ANIMALS =
  'badger camel dingo egret ferret gecko heron ibex jackal koala lemur marmot newt otter panda raven';
export const THINGS =
  'jacket bicycle sofa lamp teapot haircut logo poster cake garden tent backpack mug rug clock kite';
const OCCASIONS =
  'wedding birthday picnic winter kitchen office holiday hike concert beach train garage party';
/** One of a hundred questions has one of these. */
const SELDOM = 'velvet copper bamboo';
/** One of fifty thousand has this. */
export const RARE_WORD = 'xylophone';

const words = (text: string) => `{${text.split(' ').join()}}`;

/**
 * Fills an empty database: users, polls of two years, five votes a poll on average, and the ledger that goes with them. By
 * PostgreSQL itself, always the same but for the present time.
 */
export async function seedScale(url: string, scale: Scale = SCALE): Promise<void> {
  await migratePostgres(url);
  const sql = postgres(url, { max: 1, max_lifetime: null, onnotice: () => {} });
  try {
    const [{ isEmpty }] = await sql<[{ isEmpty: boolean }]>`
      select not exists (select from users) and not exists (select from polls) as "isEmpty"`;
    if (!isEmpty) throw new Error('Only an empty database is filled: this one has users or polls.');
    // Rows are made to fit; a database that does not allow this checks each of them.
    await sql`set session_replication_role = replica`.catch(() => {});
    await sql`set maintenance_work_mem = '512MB'`;
    await sql`set work_mem = '256MB'`;
    // To make an index of all rows at the end takes less time than to keep it up to date.
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('users'::regclass, 'polls'::regclass, 'votes'::regclass, 'point_entries'::regclass)
        and not exists (select from pg_constraint where conindid = indexrelid)`;
    for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
    const keys = await sql<{ table: string; name: string; definition: string }[]>`
      select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
      where conrelid in ('votes'::regclass, 'point_entries'::regclass) and contype in ('p', 'u')`;
    for (const { table, name } of keys) await sql.unsafe(`alter table ${table} drop constraint ${name}`);
    await addUsers(sql, scale);
    await addPolls(sql, scale);
    await addVotes(sql, scale);
    await addLedger(sql);
    for (const { table, name, definition } of keys) {
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const { definition } of indexes) await sql.unsafe(definition);
    await sql`vacuum analyze`;
  } finally {
    await sql.end();
  }
}

async function addUsers(sql: postgres.Sql, scale: Scale): Promise<void> {
  await sql`
    insert into users (id, username, email, password_hash, referral_code, is_verified, created_at)
    select ${FIRST_USER_ID}::int + n, name, name || '@mail.example', 'none', 'SEED' || n, n % 10 <> 0,
      now() - make_interval(secs => (1 - n / ${scale.users}::float8) * ${SPAN_DAYS * 86_400})
    from generate_series(0, ${scale.users - 1}::int) n, lateral (
      select (${words(ADJECTIVES)}::text[])[1 + n % 16] || '-' || (${words(ANIMALS)}::text[])[1 + n / 16 % 16]
        || '-' || n as name
    ) names`;
  await sql`select setval(pg_get_serial_sequence('users', 'id'), ${FIRST_USER_ID + SCALE.users})`;
}

async function addPolls(sql: postgres.Sql, scale: Scale): Promise<void> {
  await sql`
    insert into polls (id, user_id, question, option1_caption, option2_caption, option1_image, option2_image,
      votes1, votes2, responses_wanted, duration_days, active, created_at, closes_at)
    select
      (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3)
        || '8' || substr(hash, 4, 15))::uuid,
      ${FIRST_USER_ID}::int + case when n % 10 = 0 then n / 10 % ${PROLIFIC_MAKERS} else n % ${scale.users} end,
      case n % 3 when 0 then 'Which ' when 1 then 'What ' else 'The better ' end
        || case when n % 100 = 7 then (${words(SELDOM)}::text[])[1 + n / 100 % 3] || ' ' else '' end
        || case when n % 50000 = 77 then ${RARE_WORD} || ' ' else '' end
        || (${words(THINGS)}::text[])[1 + n / 3 % 16] || ' for the '
        || (${words(OCCASIONS)}::text[])[1 + n / 48 % 13] || '?',
      'This one', 'That one', '/uploads/' || hash || '.webp', '/uploads/' || reverse(hash) || '.webp',
      n % 11 - (n % 11 + (n + 1) % 2) / 2, (n % 11 + (n + 1) % 2) / 2,
      20 + n % 5 * 10, 1 + n % 30, n % 50 <> 0, created_at, created_at + make_interval(days => 1 + n % 30)
    from generate_series(0, ${scale.polls - 1}::int) n, lateral (
      select md5(n::text) as hash,
        now() - make_interval(secs => (1 - n / ${scale.polls}::float8) * ${SPAN_DAYS * 86_400}) as created_at
    ) made`;
  await sql`
    update poll_totals set total = counted.total, active = counted.active
    from (select count(*) as total, count(*) filter (where active) as active from polls) counted`;
}

/** The `n`-th poll by age has `n % 11` votes: those that its tallies count. */
async function addVotes(sql: postgres.Sql, scale: Scale): Promise<void> {
  await sql`
    insert into votes (poll_id, user_id, option, created_at)
    select polls.id, ${FIRST_USER_ID}::int
        + (polls.user_id - ${FIRST_USER_ID} + k * ${STEP_TO_NEXT_VOTER}) % ${scale.users},
      case when k <= polls.votes1 then 1 else 2 end,
      least(now(), polls.created_at + make_interval(hours => k * 3))
    from polls, generate_series(1, ${VOTES_OF_POLL_MAX}::int) k where k <= polls.votes1 + polls.votes2
    order by polls.created_at`;
}

/** Each account begins with what its polls cost. */
async function addLedger(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into point_entries (user_id, delta, reason, source, created_at)
    select user_id, 1, 'vote', 'vote:' || poll_id, created_at from votes order by user_id, poll_id`;
  await sql`
    insert into point_entries (user_id, delta, reason, source, created_at)
    select user_id, -responses_wanted, 'poll', 'poll:' || id, created_at from polls order by user_id, id`;
  await sql`
    insert into point_entries (user_id, delta, reason, source, created_at)
    select users.id, 10 + coalesce(sum(polls.responses_wanted), 0), 'signup', 'signup', users.created_at
    from users left join polls on polls.user_id = users.id group by users.id`;
  await sql`
    update users set points = sums.points
    from (select user_id, sum(delta) as points from point_entries group by user_id) sums
    where users.id = sums.user_id`;
}
