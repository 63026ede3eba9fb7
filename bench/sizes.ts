import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { FIRST_USER_ID, TOKEN_LENGTH } from './load/load-ids.ts';
import { castVote } from './load/requests.ts';
import { withServer } from './owner-server.ts';
import { seedScale } from './seed-scale.ts';

/**
 * Measures the sizes of rows and indexes, of the WAL for a vote, and of images, for docs/growth.md. Seeds the empty database at
 * `DATABASE_URL`, whose user must be a superuser. The results do not depend on the load of the machine.
 */

const SCALE = { users: 100_000, polls: 200_000 };
const VOTERS = 2_000;
/** Tables that are measured as copies, whose rows are inserted as in the product: in the order of time, with all indexes. */
const APPEND_TABLES = ['votes', 'point_entries', 'mutation_receipts'] as const;
const SEQUENTIAL_VOTES = 2_000;
const CONCURRENT_VOTES = 10_000;
const CLIENTS = 256;
const ILLUSTRATIONS = join(import.meta.dirname, '..', 'api', 'admin', 'samples', 'illustrations');

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL must be the address of an empty PostgreSQL database');
const sql = postgres(url, { max: 1, onnotice: () => {} });
await seedScale(url, SCALE);
await addOmittedData();
for (const table of APPEND_TABLES) await copyInOrder(table);
await sql`vacuum full analyze users, polls, sessions`;
await printSizes();
await printWal();
await printImages();
await sql.end();

/** Adds data that `seedScale` omits because no other benchmark needs it. */
async function addOmittedData(): Promise<void> {
  await sql`update users set password_hash = '$2b$12$' || repeat('x', 53)`;
  await sql`
    update polls set option1_preview = repeat('A', 28), option2_preview = repeat('B', 28), option1_width = 1080,
      option1_height = 810, option2_width = 1080, option2_height = 810`;
  await sql`
    insert into sessions (token_hash, user_id, device, network)
    select encode(sha256(convert_to(lpad(id::text, ${TOKEN_LENGTH}::int, '0'), 'UTF8')), 'hex'), id, 'Chrome on Android', '203.0'
    from users`;
  await sql`
    insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id, created_at)
    select user_id, gen_random_uuid(), 'vote', translate(rtrim(encode(sha256(uuid_send(poll_id)), 'base64'), '='), '+/', '-_'), 200, poll_id, created_at from votes`;
}

async function copyInOrder(table: (typeof APPEND_TABLES)[number]): Promise<void> {
  const copy = sql(`${table}_grown`);
  await sql`create table ${copy} (like ${sql(table)} including all)`;
  await sql`insert into ${copy} overriding system value select * from ${sql(table)} order by created_at`;
  await sql`vacuum analyze ${copy}`;
}

async function printSizes(): Promise<void> {
  const names = [...APPEND_TABLES.map((table) => `${table}_grown`), 'users', 'polls', 'sessions'];
  console.log('| Table | Rows | Heap, B a row | Indexes, B a row | All, B a row |\n|---|--:|--:|--:|--:|');
  for (const name of names) {
    const [size] = await sql<[{ rows: number; heap: number; indexes: number; all: number }]>`
      select count(*)::int as rows, pg_table_size(${name})::float8 as heap, pg_indexes_size(${name})::float8 as indexes,
        pg_total_relation_size(${name})::float8 as "all" from ${sql(name)}`;
    const bytesPerRow = [size.heap, size.indexes, size.all].map((bytes) => (bytes / size.rows).toFixed(0));
    console.log(`| ${name.replace('_grown', '')} | ${size.rows} | ${bytesPerRow.join(' | ')} |`);
    const indexes = await sql<{ name: string; bytes: number }[]>`
      select indexrelid::regclass::text as name, pg_relation_size(indexrelid)::float8 as bytes from pg_index
      where indrelid = ${name}::regclass order by 2 desc`;
    for (const index of indexes)
      console.log(`|   ${index.name} | | | ${(index.bytes / size.rows).toFixed(0)} | |`);
  }
}

async function printWal(): Promise<void> {
  // Pairs of an open poll and a user who has not voted on it, in random order.
  const open = await sql<{ id: string; userId: number }[]>`
    select polls.id, voters.id as "userId" from (
      select * from polls where active and closes_at > now() + interval '1 hour' order by id desc limit 1000
    ) polls, generate_series(${FIRST_USER_ID}::int, ${FIRST_USER_ID + SCALE.users - 1}::int, ${SCALE.users / VOTERS}::int) voters (id)
    where polls.user_id <> voters.id and not exists (
      select from votes where poll_id = polls.id and user_id = voters.id
    ) and polls.responses_wanted - polls.votes1 - polls.votes2 > 0
    order by md5(polls.id::text || voters.id)`;
  // So that no poll is completed while votes are measured.
  await sql`update polls set responses_wanted = 10000000 where active and closes_at > now()`;
  const updatesBefore = await readUpdates();
  console.log('\n| Votes | Clients | Full pages after a checkpoint | WAL, B a vote |\n|--:|--:|---|--:|');
  await withServer(url ?? '', async ({ address }) => {
    const vote = async () => {
      const next = open.pop();
      if (next === undefined) throw new Error('There are too few open polls');
      await castVote(address, next.id, `sid=${String(next.userId).padStart(TOKEN_LENGTH, '0')}`);
    };
    const runs = [
      [SEQUENTIAL_VOTES, 1, 'on', 'off'],
      [CONCURRENT_VOTES, CLIENTS, 'on', 'off'],
      [CONCURRENT_VOTES, CLIENTS, 'on', 'on'],
      [SEQUENTIAL_VOTES, 1, 'off', 'off'],
      [CONCURRENT_VOTES, CLIENTS, 'off', 'off'],
    ] as const;
    for (const [votes, clients, fullPages, compression] of runs) {
      await sql.unsafe(`alter system set full_page_writes = ${fullPages}`);
      await sql.unsafe(`alter system set wal_compression = ${compression}`);
      await sql`select pg_reload_conf()`;
      await sql`checkpoint`;
      // A warm-up, which is not counted.
      await vote();
      const before = await readWal();
      let remaining = votes;
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (remaining > 0) {
            remaining -= 1;
            await vote();
          }
        }),
      );
      const bytesPerVote = ((await readWal()) - before) / votes;
      const kind = fullPages === 'off' ? 'none' : compression === 'on' ? 'compressed' : 'all';
      console.log(`| ${votes} | ${clients} | ${kind} | ${bytesPerVote.toFixed(0)} |`);
    }
  }).finally(resetWalSettings);
  const updates = await readUpdates();
  const share = (updates.heapOnly - updatesBefore.heapOnly) / (updates.all - updatesBefore.all);
  console.log(`\nUpdates of polls and users that write to no index: ${(100 * share).toFixed(0)} %`);
}

async function resetWalSettings(): Promise<void> {
  await sql`alter system reset full_page_writes`;
  await sql`alter system reset wal_compression`;
  await sql`select pg_reload_conf()`;
}

async function readWal(): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`;
  return row.bytes;
}

/** The number of all updates so far, and of HOT updates, which write to no index. */
async function readUpdates(): Promise<{ all: number; heapOnly: number }> {
  // Otherwise the counts would lack the latest updates of this connection.
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<[{ all: number; heapOnly: number }]>`
    select sum(n_tup_upd)::float8 as "all", sum(n_tup_hot_upd)::float8 as "heapOnly" from pg_stat_user_tables
    where relname in ('users', 'polls')`;
  return row;
}

async function printImages(): Promise<void> {
  const pipeline = createImagePipeline();
  const names = (await readdir(ILLUSTRATIONS)).filter((name) => name.endsWith('.svg'));
  const sizes = { large: 0, small: 0 };
  for (const name of names) {
    const { large, small } = await pipeline.draw(
      await readFile(join(ILLUSTRATIONS, name), 'utf8'),
      AbortSignal.timeout(60_000),
    );
    sizes.large += large.length;
    sizes.small += small.length;
  }
  const averageKb = (bytes: number) => (bytes / names.length / 1_000).toFixed(1);
  console.log(
    `\n${names.length} illustrations of sample polls: ${averageKb(sizes.large)} kB large, ${averageKb(sizes.small)} kB small`,
  );
}
