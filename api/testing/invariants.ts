import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Handle } from '#api/db/client.ts';
import { fileNames } from '#api/images/image-store.ts';
import { imageFolders } from '#api/storage/open-image-storage.ts';
import { VOTE_POINTS } from '#shared/points/constants.ts';
import { IMAGE_PATH_PREFIX, VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';

/**
 * Invariants that hold after every commit, each with a query for the rows that violate it. `deleted`: the polls that were deleted
 * on purpose, as an array literal. Their voters keep the points; the ledger entries of their prices and their receipts remain.
 */
const INVARIANTS: Record<string, (handle: Handle, deleted: string) => PromiseLike<readonly unknown[]>> = {
  'points are the sum of the ledger': ({ sql }) => sql`
    select users.id, users.points, coalesce(sum(delta), 0) as ledger
    from users left join point_entries on point_entries.user_id = users.id
    group by users.id having users.points <> coalesce(sum(delta), 0)`,
  'points are never negative': ({ sql }) => sql`select id, points from users where points < 0`,
  'tallies count the votes': ({ sql }) => sql`
    select polls.id, votes1, votes2 from polls left join votes on votes.poll_id = polls.id
    group by polls.id
    having votes1 <> count(*) filter (where option = 1) or votes2 <> count(*) filter (where option = 2)`,
  'no poll has more votes than responses wanted': ({ sql }) => sql`
    select id from polls where votes1 + votes2 > responses_wanted`,
  'no vote was changed more often than allowed': ({ sql }) => sql`
    select poll_id, user_id, changes from votes where changes > ${VOTE_CHANGES_MAX}`,
  'each vote has one ledger entry': ({ sql }) => sql`
    select votes.poll_id, votes.user_id from votes left join point_entries entries
      on entries.user_id = votes.user_id and entries.source = 'vote:' || votes.poll_id
    where votes.user_id is not null and entries.id is null`,
  'no ledger entry of a vote lacks its vote': ({ sql }, deleted) => sql`
    select entries.source from point_entries entries
    left join votes on votes.user_id = entries.user_id and entries.source = 'vote:' || votes.poll_id
    where entries.reason = 'vote' and entries.user_id is not null and votes.id is null
      and replace(entries.source, 'vote:', '')::uuid <> all(${deleted}::uuid[])`,
  'each vote has earned the points of one vote, regardless of its changes': ({ sql }) => sql`
    select source, delta from point_entries where reason = 'vote' and delta <> ${VOTE_POINTS}`,
  'each anonymised vote has an anonymised ledger entry': ({ sql }, deleted) => sql`
    select source, cast_votes.count as votes, entries.count as entries from (
      select 'vote:' || poll_id as source, count(*) from votes where user_id is null group by poll_id
    ) cast_votes full join (
      select source, count(*) from point_entries where user_id is null and reason = 'vote' group by source
    ) entries using (source)
    where cast_votes.count is distinct from entries.count
      and replace(source, 'vote:', '')::uuid <> all(${deleted}::uuid[])`,
  'each poll has one ledger entry with its price': ({ sql }) => sql`
    select polls.id from polls left join point_entries entries
      on entries.user_id = polls.user_id and entries.source = 'poll:' || polls.id
      and entries.delta = -polls.responses_wanted
    where not polls.is_sample and not polls.is_free and polls.user_id is not null and entries.id is null`,
  'no free poll was paid for': ({ sql }) => sql`
    select polls.id from polls join point_entries entries on entries.source = 'poll:' || polls.id
    where polls.is_free`,
  'no ledger entry of a price lacks its poll': ({ sql }, deleted) => sql`
    select entries.source from point_entries entries
    left join polls on entries.source = 'poll:' || polls.id
    where entries.reason = 'poll' and polls.id is null
      and replace(entries.source, 'poll:', '')::uuid <> all(${deleted}::uuid[])`,
  'each poll closed early has refunded its unused responses': ({ sql }) => sql`
    select polls.id, refund.delta from polls
    join point_entries paid on paid.source = 'poll:' || polls.id
    left join point_entries refund on refund.source = 'refund:' || polls.id
      and refund.user_id is not distinct from paid.user_id
    where closed_at is not null and refund.delta is distinct from responses_wanted - votes1 - votes2`,
  'no poll has two refunds, or one without being closed early': ({ sql }) => sql`
    select source from point_entries entries left join polls on entries.source = 'refund:' || polls.id
    where entries.reason = 'refund'
    group by source, polls.id, closed_at
    having count(*) > 1 or (polls.id is not null and closed_at is null)`,
  'a poll closed early ends at that time': ({ sql }) => sql`
    select id from polls where closed_at is not null and closes_at <> closed_at`,
  'no user has reported their own poll': ({ sql }) => sql`
    select poll_id from poll_reports reports join polls on polls.id = poll_id
    where reports.user_id = polls.user_id`,
  'each user with reports or blocks has `hides_polls`': ({ sql }) => sql`
    select id from users where not hides_polls and (
      exists (select from poll_reports where user_id = users.id and poll_id is not null and not is_taken_back)
      or exists (select from user_blocks where user_id = users.id))`,
  '`poll_totals` counts the polls': ({ sql }) => sql`
    select from polls
    having count(*) <> (select total from poll_totals)
      or count(*) filter (where active) <> (select active from poll_totals)`,
  'no mailed link is for a former email of its user': ({ sql }) => sql`
    select user_id from email_tokens join users on users.id = user_id
    where purpose not in ('undo-email', 'undo-passkeys') and email_tokens.email <> users.email
      and (purpose <> 'verify' or email_tokens.email is distinct from users.pending_email)`,
  'each receipt of a success has its effect': ({ sql }, deleted) => sql`
    select key from mutation_receipts receipts
    where route in ('create', 'vote', 'change_vote', 'close') and status in (200, 201) and entity_id <> all(${deleted}::uuid[]) and not exists (
      select from polls where polls.id = receipts.entity_id
        and (receipts.route = 'create' or (receipts.route = 'close' and closed_at is not null) or exists (
          select from votes where votes.poll_id = polls.id and votes.user_id = receipts.user_id)))`,
};

/**
 * The violated invariants, each with up to three of the rows that violate it; empty if all hold. `deleted`: the ids of polls that
 * were deleted on purpose.
 */
export async function violatedInvariants(handle: Handle, deleted: readonly string[] = []): Promise<string[]> {
  const violated: string[] = [];
  for (const [name, find] of Object.entries(INVARIANTS)) {
    const rows = await find(handle, `{${deleted.join()}}`);
    if (rows.length > 0) violated.push(`${name}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return violated;
}

/** The folder of published images. */
export function uploadsFolder({ env }: { env: { dataDir: string } }): string {
  return imageFolders(env.dataDir).published;
}

/** The paths of all images of polls, except placeholders. */
async function imagePaths({ sql }: Handle): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select option1_image as path from polls union all select option2_image from polls`;
  return rows.map(({ path }) => path).filter((path) => path.startsWith(IMAGE_PATH_PREFIX));
}

/** The paths of images of polls, except placeholders, that are missing in `folder` or cannot be decoded. */
export async function damagedImages(handle: Handle, folder: string): Promise<string[]> {
  const damaged: string[] = [];
  for (const path of await imagePaths(handle)) {
    const decoded = await sharp(join(folder, path.slice(IMAGE_PATH_PREFIX.length)))
      .stats()
      .catch(() => null);
    if (decoded === null) damaged.push(path);
  }
  return damaged;
}

/** The names of the files below `folder` that are not images of a poll. */
export async function orphanedFiles(handle: Handle, folder: string): Promise<string[]> {
  const paths = await imagePaths(handle);
  const referenced = new Set(paths.flatMap((path) => fileNames(path.slice(IMAGE_PATH_PREFIX.length))));
  return (await storedFiles(folder)).filter((file) => !referenced.has(file));
}

/** The names of all files below `folder`, including temporary ones. */
export async function storedFiles(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}
