import { v7 as uuidv7 } from 'uuid';
import {
  DURATION_DEFAULT_DAYS,
  IMAGES_MISSING,
  MIN_RESPONSES,
  QUESTION_MAX_LENGTH,
  QUESTION_MISSING,
} from '#shared/polls/constants.ts';
import { pointsNeeded, pollCost } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ImageInput, PollDraft } from '#sync/client/types.ts';
import { LOGIN_REQUIRED } from './unsaved-words.ts';

/** One image of the form. */
export type ImageSlot =
  | { kind: 'empty' }
  | { kind: 'working' }
  /** `refusal`: why the one chosen after it was not taken. */
  | { kind: 'ready'; image: ImageInput; refusal?: string }
  | { kind: 'refused'; message: string };

export type PollForm = {
  /** Made with the form, so that a draft handed in twice is one poll. */
  pollId: string;
  question: string;
  captions: Record<Option, string>;
  images: Record<Option, ImageSlot>;
  durationDays: number;
  responsesWanted: number;
};

/** What is wrong with the image chosen last; null when nothing is. */
export function refusalOf(slot: ImageSlot): string | null {
  if (slot.kind === 'refused') return slot.message;
  return slot.kind === 'ready' ? (slot.refusal ?? null) : null;
}

export const EMPTY_FORM: Omit<PollForm, 'pollId'> = {
  question: '',
  captions: { 1: '', 2: '' },
  images: { 1: { kind: 'empty' }, 2: { kind: 'empty' } },
  durationDays: DURATION_DEFAULT_DAYS,
  responsesWanted: MIN_RESPONSES,
};

/** What the form starts with when a refused poll is edited, or a draft was kept. */
export type StartingForm = {
  texts: Omit<PollForm, 'images' | 'pollId'> & { pollId?: string };
  /** Its images, by the name under which drafts are stored. */
  pictures: Partial<Record<Option, ImageInput>>;
  /** The refused op that the new poll takes the place of. */
  replacesOpId?: string | undefined;
};

/** The texts at the start; no more responses than the points can pay for. */
export function startingTexts(
  start: StartingForm | undefined,
  mostResponses: number,
): Omit<PollForm, 'images'> {
  const texts = start?.texts ?? EMPTY_FORM;
  // A draft that the first release has kept has no id yet.
  const pollId = start?.texts.pollId ?? uuidv7();
  return { ...texts, pollId, responsesWanted: Math.min(texts.responsesWanted, mostResponses) };
}

/** Whether nothing has been filled in that could be lost. */
export function isBlank({ question, captions, images }: PollForm): boolean {
  const hasImage = images[1].kind === 'ready' || images[2].kind === 'ready';
  return !hasImage && question + captions[1] + captions[2] === '';
}

export type Problem = { field: 'question' | 'images' | null; title: string; text: string };

/** What keeps a poll from being handed in, in the order in which it is checked; null when nothing does. */
export function problemOf(form: PollForm, spendable: number | null): Problem | null {
  if (spendable === null) {
    return { field: null, ...LOGIN_REQUIRED };
  }
  const cost = pollCost(form.responsesWanted);
  if (spendable < cost) {
    return {
      field: null,
      title: 'Insufficient points',
      text: pointsNeeded(cost),
    };
  }
  if (form.question.trim() === '') {
    return {
      field: 'question',
      title: 'Question required',
      text: QUESTION_MISSING,
    };
  }
  if (!isChosen(form.images[1]) || !isChosen(form.images[2])) {
    return {
      field: 'images',
      title: 'Images required',
      text: IMAGES_MISSING,
    };
  }
  return null;
}

/** Chosen images are there, or will be as soon as they are read. */
function isChosen({ kind }: ImageSlot): boolean {
  return kind === 'ready' || kind === 'working';
}

/** Whether an image is still being read: the form can be handed in afterwards. */
export function isReading({ images }: PollForm): boolean {
  return images[1].kind === 'working' || images[2].kind === 'working';
}

/** The form as the engine takes it; null while an image is missing. */
export function draftOf(form: PollForm): PollDraft | null {
  const { 1: first, 2: second } = form.images;
  if (first.kind !== 'ready' || second.kind !== 'ready') return null;
  return {
    pollId: form.pollId,
    question: form.question.trim().slice(0, QUESTION_MAX_LENGTH),
    option1Caption: form.captions[1].trim(),
    option2Caption: form.captions[2].trim(),
    durationDays: form.durationDays,
    responsesWanted: form.responsesWanted,
    images: [first.image, second.image],
  };
}
