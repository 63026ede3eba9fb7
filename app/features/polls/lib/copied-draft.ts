import { DURATION_MAX_DAYS, DURATION_OPTIONS_DAYS, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { normalizeImagePath, smallImagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';
import type { InitialForm } from './create-poll-form.ts';

/** How long one size of an image may take: the user waits for the form meanwhile. */
const IMAGE_TIMEOUT_MS = 15_000;

/** The form of a new poll with the content of `poll`. Images that are not on this device and cannot be fetched are left out. */
export async function copyOf(poll: Poll): Promise<InitialForm> {
  const [first, second] = await Promise.all([fetchImage(poll.option1Image), fetchImage(poll.option2Image)]);
  return {
    texts: {
      question: poll.question,
      captions: { 1: poll.option1Caption ?? '', 2: poll.option2Caption ?? '' },
      // Polls of a bulk upload may have a duration that the form does not offer.
      durationDays: DURATION_OPTIONS_DAYS.find((days) => days >= poll.duration) ?? DURATION_MAX_DAYS,
      responsesWanted: poll.responsesWanted,
    },
    pictures: { ...(first && { 1: first }), ...(second && { 2: second }) },
    isCopy: true,
  };
}

/** Fetches the larger size of an image or else the smaller: offline, the device may have only one. Null if both fail. */
async function fetchImage(storedPath: string): Promise<ImageInput | null> {
  const path = normalizeImagePath(storedPath);
  if (storedPath === '' || (PLACEHOLDER_IMAGES as readonly string[]).includes(path)) return null;
  return (await fetchSize(path)) ?? (await fetchSize(smallImagePath(path)));
}

/** Fetches one size of an image without re-encoding it: the server has encoded it, and accepts it again. Null if that fails. */
async function fetchSize(url: string): Promise<ImageInput | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(IMAGE_TIMEOUT_MS) });
    if (!response.ok) return null;
    const blob = await response.blob();
    const { width, height } = await createImageBitmap(blob);
    return { bytes: await blob.arrayBuffer(), mime: blob.type, width, height };
  } catch {
    return null;
  }
}
