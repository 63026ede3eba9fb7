import { saveDraft } from '#app/lib/drafts/draft-store.ts';
import {
  DURATION_MAX_DAYS,
  DURATION_OPTIONS_DAYS,
  IMAGE_SMALL_PX,
  PLACEHOLDER_IMAGES,
} from '#shared/polls/constants.ts';
import { normalizeImagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';
import { type InitialForm, NEW_POLL_FORM } from './create-poll-form.ts';

/**
 * Saves a copy of a poll as the draft of a new poll, with its images from this device or from the server. Returns how many
 * images are missing. Throws if this device cannot store the draft.
 */
export async function copyToDraft(userId: number, poll: Poll): Promise<number> {
  const [first, second] = await Promise.all([fetchImage(poll.option1Image), fetchImage(poll.option2Image)]);
  const form: InitialForm = {
    texts: {
      question: poll.question,
      captions: { 1: poll.option1Caption ?? '', 2: poll.option2Caption ?? '' },
      // Polls of a bulk upload may have a duration that the form does not offer.
      durationDays: DURATION_OPTIONS_DAYS.find((days) => days >= poll.duration) ?? DURATION_MAX_DAYS,
      responsesWanted: poll.responsesWanted,
    },
    pictures: { ...(first && { 1: first }), ...(second && { 2: second }) },
  };
  await saveDraft(userId, NEW_POLL_FORM, form);
  return [first, second].filter((image) => image === null).length;
}

/** Reads the larger size of an image or else the smaller: offline, the device may have only one. Null if both fail. */
async function fetchImage(storedPath: string): Promise<ImageInput | null> {
  const path = normalizeImagePath(storedPath);
  if (storedPath === '' || (PLACEHOLDER_IMAGES as readonly string[]).includes(path)) return null;
  return (await readImage(path)) ?? (await readImage(`${path}?w=${IMAGE_SMALL_PX}`));
}

/** Reads an image without re-encoding it: the server has encoded it, and accepts it again. Null if that fails. */
async function readImage(url: string): Promise<ImageInput | null> {
  try {
    const response = await fetch(url);
    if (!response.ok) return null;
    const blob = await response.blob();
    const { width, height } = await createImageBitmap(blob);
    return { bytes: await blob.arrayBuffer(), mime: blob.type, width, height };
  } catch {
    return null;
  }
}
