import { createHash } from 'node:crypto';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import sharp from 'sharp';
import { openDatabase } from '#api/db/open-database.ts';
import { fileNames } from '#api/images/image-store.ts';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { FIRST_USER_ID, TOKEN_LENGTH } from './load-ids.ts';

/**
 * `users` have one session each and ids from 1,000; `polls` accept any number of votes; each user has `votesOfUser` votes on
 * the newest 24 polls.
 */
export type LoadScale = { users: number; polls: number; votesOfUser: number };

const IMAGE_PX = { width: 800, height: 600 };
/** The ThumbHash of the image that `writeImages` writes. */
const PREVIEW = '33UBBYCHh4h4h4hwd4h4iHh3gHcI';

/**
 * Seeds an empty, migrated database for the load scripts, which compute the same ids and session tokens. A user's votes are 5
 * polls apart, which keeps them on different polls: 5 and 24 have no common divisor.
 */
export async function seedLoad(sql: postgres.Sql, { users, polls, votesOfUser }: LoadScale): Promise<void> {
  await sql`
    insert into users (id, username, email, password_hash, referral_code, is_verified)
    select ${FIRST_USER_ID}::int + n, 'voter_' || n, 'voter_' || n || '@mail.example', 'none', 'LOAD' || n, true
    from generate_series(0, ${users - 1}::int) n`;
  await sql`
    insert into sessions (token_hash, user_id)
    select encode(sha256(convert_to(lpad(n::text, ${TOKEN_LENGTH}::int, '0'), 'UTF8')), 'hex'), ${FIRST_USER_ID}::int + n
    from generate_series(0, ${users - 1}::int) n`;
  await sql`
    insert into polls (id, question, option1_caption, option2_caption, option1_image, option2_image,
      option1_preview, option2_preview, option1_width, option1_height, option2_width, option2_height,
      responses_wanted, duration_days, created_at, closes_at)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Tea or coffee, number ' || n || '?',
      'Tea', 'Coffee', '/uploads/' || md5(n::text) || '.webp', '/uploads/' || md5((-n)::text) || '.webp',
      ${PREVIEW}::text, ${PREVIEW}::text,
      ${IMAGE_PX.width}::int, ${IMAGE_PX.height}::int, ${IMAGE_PX.width}::int, ${IMAGE_PX.height}::int, 10000000, 30, now() - make_interval(secs => ${polls} - n),
      now() + interval '29 days'
    from generate_series(0, ${polls - 1}::int) n`;
  await sql`update poll_totals set total = ${polls}, active = ${polls}`;
  await sql`
    insert into votes (poll_id, user_id, option)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(${polls - 1}::int - (n + 5 * k) % 24), 12, '0'))::uuid, ${FIRST_USER_ID}::int + n, 1 + n % 2
    from generate_series(0, ${users - 1}::int) n, generate_series(1, ${votesOfUser}::int) k`;
  await sql`vacuum analyze`;
}

/** Runs a temporary PostgreSQL server with a seeded database, and passes its URL to `work`. */
export async function withPostgres<Result>(
  scale: LoadScale,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = await startPostgres({ isDurable: true });
  try {
    const db = await openDatabase({ databaseUrl: server.url, dataDir: '' }, () => {});
    await seedLoad(db.sql, scale).finally(() => db.close());
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** Writes the images of the seeded polls to a data folder: hard links to a single image. */
export async function writeImages(dataDir: string, polls: number): Promise<void> {
  const folder = join(dataDir, 'uploads');
  await mkdir(folder, { recursive: true });
  const image = sharp({ create: { ...IMAGE_PX, channels: 3, background: '#48a' } });
  const [large, small] = fileNames('image.webp').map((file) => join(folder, file)) as [string, string];
  await writeFile(large, await image.webp().toBuffer());
  await writeFile(small, await image.resize(IMAGE_SMALL_PX).webp().toBuffer());
  for (let index = 0; index < polls; index += 1) {
    // The names of both images, as in `seedLoad`; those of poll 0 have the same name.
    for (const id of new Set([index, -index])) {
      const name = `${createHash('md5').update(String(id)).digest('hex')}.webp`;
      const [largeName, smallName] = fileNames(name);
      await link(large, join(folder, largeName));
      await link(small, join(folder, smallName));
    }
  }
}

/** Returns a function that migrates and seeds the embedded database in a data folder. */
export function seedEmbedded(scale: LoadScale): (dataDir: string) => Promise<void> {
  return async (dataDir) => {
    const db = await openDatabase({ databaseUrl: null, dataDir }, (error) => {
      throw error;
    });
    await seedLoad(db.sql, scale).finally(() => db.close());
  };
}
