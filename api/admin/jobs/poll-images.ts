import type { Handle } from '#api/db/client.ts';
import { IMAGE_PATH_PATTERN } from '#api/images/image-store.ts';
import { PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import type { Option } from '#shared/polls/schema.ts';

/** Both images of up to `limit` polls, in the order of their ids, after the poll `after`. */
export async function findImages(
  { sql }: Handle,
  after: string | null,
  limit: number,
): Promise<{ id: string; image1: string; image2: string }[]> {
  return sql<{ id: string; image1: string; image2: string }[]>`
    select id, option1_image as image1, option2_image as image2 from polls
    where ${after}::uuid is null or id > ${after}::uuid order by id limit ${limit}`;
}

/** The paths of up to `limit` images in the store, in the order of the ids of their polls. */
export async function findStoredPaths({ sql }: Handle, limit: number): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from polls cross join lateral (values (option1_image), (option2_image)) as images (path)
    where path ~ ${IMAGE_PATH_PATTERN} order by polls.id limit ${limit}`;
  return rows.map(({ path }) => path);
}

/** An image of a poll whose file is of no use. */
export type LostImage = { pollId: string; option: Option; path: string };

/** Shows the placeholder of its option instead. False when the poll is gone or shows another image by now. */
export async function replaceImage({ sql }: Handle, { pollId, option, path }: LostImage): Promise<boolean> {
  const column = (name: string) => sql(`option${option}_${name}`);
  const replaced = await sql`
    update polls set ${column('image')} = ${PLACEHOLDER_IMAGES[option - 1] ?? ''}, ${column('preview')} = null,
      ${column('width')} = null, ${column('height')} = null, rev = rev + 1
    where id = ${pollId} and ${column('image')} = ${path}`;
  return replaced.count === 1;
}

/** How many polls there are, the inactive ones too. */
export async function countPolls({ sql }: Handle): Promise<number> {
  const [row] = await sql<[{ total: number }?]>`select total from poll_totals where id = 1`;
  return row?.total ?? 0;
}
