import type { Handle } from '#api/db/client.ts';
import { addToTotals } from '#api/polls/poll-rows.ts';

type PollImage = { path: string; preview: string; width: number; height: number };

/** A poll that an administrator makes: it costs nothing. `duration` in days. */
export type FreePoll = {
  id: string;
  question: string;
  captions: readonly [string | null, string | null];
  images: readonly [PollImage, PollImage];
  responsesWanted: number;
  duration: number;
};

/**
 * Stores polls of `userId` that begin now, the last one as the newest, and counts them. Call it last in the
 * transaction that puts their pictures in place.
 */
export async function insertFreePolls(
  handle: Handle,
  userId: number,
  polls: readonly FreePoll[],
  { isSample }: { isSample: boolean },
): Promise<void> {
  const rows = polls.map(
    ({ id, question, captions, images: [image1, image2], responsesWanted, duration }) => ({
      id,
      question,
      caption1: captions[0],
      caption2: captions[1],
      image1: image1.path,
      image2: image2.path,
      preview1: image1.preview,
      preview2: image2.preview,
      width1: image1.width,
      height1: image1.height,
      width2: image2.width,
      height2: image2.height,
      wanted: responsesWanted,
      days: duration,
    }),
  );
  await handle.sql`
    insert into polls (
      id, user_id, question, option1_caption, option2_caption, option1_image, option2_image, option1_preview,
      option2_preview, option1_width, option1_height, option2_width, option2_height, responses_wanted,
      duration_days, closes_at, is_sample, is_free
    )
    select id, ${userId}::int, question, caption1, caption2, image1, image2, preview1, preview2, width1, height1,
      width2, height2, wanted, days, now() + make_interval(days => days), ${isSample}, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as made (
      id uuid, question text, caption1 text, caption2 text, image1 text, image2 text, preview1 text,
      preview2 text, width1 int, height1 int, width2 int, height2 int, wanted int, days int
    )`;
  await addToTotals(handle, { active: polls.length, total: polls.length });
}
