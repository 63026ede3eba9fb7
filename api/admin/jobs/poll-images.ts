import { and, eq, sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { polls } from '#api/db/schema/polls.ts';
import { IMAGE_PATH_PATTERN } from '#api/images/image-store.ts';
import { PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import type { Option } from '#shared/polls/schema.ts';

/** The paths of up to `limit` stored images, in the order of the ids of their polls. */
export async function findStoredPaths(handle: Handle, limit: number): Promise<string[]> {
  // Tagged SQL: the builder cannot turn two columns of a row into two rows.
  const rows = await handle.sql<{ path: string }[]>`
    select path from polls cross join lateral (values (option1_image), (option2_image)) as images (path)
    where path ~ ${IMAGE_PATH_PATTERN} order by polls.id limit ${limit}`;
  return rows.map(({ path }) => path);
}

/** An image of a poll whose file is missing or broken. */
export type LostImage = { pollId: string; option: Option; path: string };

/** The column values of an option that shows its placeholder instead of an image. */
const PLACEHOLDER_COLUMNS = {
  1: { option1Image: PLACEHOLDER_IMAGES[0], option1Preview: null, option1Width: null, option1Height: null },
  2: { option2Image: PLACEHOLDER_IMAGES[1], option2Preview: null, option2Width: null, option2Height: null },
};

/** Replaces a lost image by the placeholder of its option. Returns false if the poll was deleted or its image has changed. */
export async function replaceByPlaceholder(
  { orm }: Handle,
  { pollId, option, path }: LostImage,
): Promise<boolean> {
  const image = option === 1 ? polls.option1Image : polls.option2Image;
  const replaced = await orm
    .update(polls)
    .set({ ...PLACEHOLDER_COLUMNS[option], rev: sql`${polls.rev} + 1` })
    .where(and(eq(polls.id, pollId), eq(image, path)));
  return replaced.count === 1;
}
