import { v7 as uuidv7 } from 'uuid';
import {
  DURATION_DEFAULT_DAYS,
  IMAGES_REQUIRED_MESSAGE,
  QUESTION_MAX_LENGTH,
  QUESTION_REQUIRED_MESSAGE,
  RESPONSES_MIN,
} from '#shared/polls/constants.ts';
import { insufficientPointsMessage, pollCost } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ImageInput, PollDraft } from '#sync/client/outbox/poll-draft.ts';
import { LOGIN_REQUIRED } from './save-errors.ts';

/** The name of the form for a new poll, and so of its draft. The form for a refused poll is named after its op (`formName`). */
export const NEW_POLL_FORM = 'new';

export type ImageSlot =
  | { kind: 'empty' }
  /** `image` is the one that is being replaced. The draft keeps it until the new one is read. */
  | { kind: 'reading'; image?: ImageInput | undefined }
  /** `error` says why a file that was chosen later could not be used. */
  | { kind: 'ready'; image: ImageInput; error?: string }
  | { kind: 'failed'; error: string };

export type PollForm = {
  /** Created with the form, so that submitting a draft twice creates only one poll. */
  pollId: string;
  question: string;
  captions: Record<Option, string>;
  images: Record<Option, ImageSlot>;
  durationDays: number;
  responsesWanted: number;
};

/** All fields except the images, the numbers included. Named after the property `texts` of stored drafts. */
export type Texts = Omit<PollForm, 'images'>;

/** Why the last chosen file could not be used; null if it could. */
export function imageErrorOf(slot: ImageSlot): string | null {
  return 'error' in slot ? (slot.error ?? null) : null;
}

/** The image that is saved in the draft. */
export function imageOf(slot: ImageSlot): ImageInput | undefined {
  return 'image' in slot ? slot.image : undefined;
}

export const EMPTY_FORM: Omit<PollForm, 'pollId'> = {
  question: '',
  captions: { 1: '', 2: '' },
  images: { 1: { kind: 'empty' }, 2: { kind: 'empty' } },
  durationDays: DURATION_DEFAULT_DAYS,
  responsesWanted: RESPONSES_MIN,
};

/** The initial content of the form: a saved draft, a copy of a poll, a suggested question, or a refused poll to edit. */
export type InitialForm = {
  texts: Omit<PollForm, 'images' | 'pollId'> & { pollId?: string };
  /** Named as in stored drafts. */
  pictures: { [option in Option]?: ImageInput | undefined };
  /** Whether this is a copy of a poll: an image that it lacks could not be read. */
  isCopy?: true;
  /** The refused op that the new poll replaces. */
  replacesOpId?: string | undefined;
};

/** A form in which only the question is filled in. */
export function formWithQuestion(question: string): InitialForm {
  const { images, ...texts } = EMPTY_FORM;
  return { texts: { ...texts, question }, pictures: {} };
}

/** The initial values, with no more responses than the points can pay for. */
export function initialTexts(initial: InitialForm | undefined, maxResponses: number): Texts {
  const texts = initial?.texts ?? EMPTY_FORM;
  // Only a refused poll and a draft that was edited have an id already.
  const pollId = initial?.texts.pollId ?? uuidv7();
  return { ...texts, pollId, responsesWanted: Math.min(texts.responsesWanted, maxResponses) };
}

export function isBlank({ question, captions, images }: PollForm): boolean {
  const image = imageOf(images[1]) ?? imageOf(images[2]);
  return image === undefined && question + captions[1] + captions[2] === '';
}

export type Problem = { field: 'question' | 'images' | null; title: string; text: string };

/** The first reason why the form cannot be submitted; null if it can be. `spendable` is null for a visitor. */
export function problemOf(form: PollForm, spendable: number | null): Problem | null {
  if (spendable === null) return { field: null, ...LOGIN_REQUIRED };
  const cost = pollCost(form.responsesWanted);
  if (spendable < cost) {
    return { field: null, title: 'Insufficient points', text: insufficientPointsMessage(cost) };
  }
  if (form.question.trim() === '') {
    return { field: 'question', title: 'Question required', text: QUESTION_REQUIRED_MESSAGE };
  }
  if (!isChosen(form.images[1]) || !isChosen(form.images[2])) {
    return { field: 'images', title: 'Images required', text: IMAGES_REQUIRED_MESSAGE };
  }
  return null;
}

/** Whether there is an image, or one that is being read. */
export function isChosen({ kind }: ImageSlot): boolean {
  return kind === 'ready' || kind === 'reading';
}

/** Whether an image is still being read. A form that was submitted meanwhile waits for it. */
export function isReadingImages({ images }: PollForm): boolean {
  return images[1].kind === 'reading' || images[2].kind === 'reading';
}

/** The poll as the input of the engine, not the saved draft of the form; null unless both images are ready. */
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
