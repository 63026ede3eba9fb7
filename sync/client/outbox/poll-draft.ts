/** An image as it is uploaded; its size in pixels. */
export type ImageInput = { bytes: ArrayBuffer; mime: string; width: number; height: number };

/** A poll as the create dialog submits it. `durationDays` in whole days. */
export type PollDraft = {
  question: string;
  option1Caption: string;
  option2Caption: string;
  durationDays: number;
  responsesWanted: number;
  images: readonly [ImageInput, ImageInput];
  /** Created with the draft, so that a draft submitted twice is one poll; by default created when it is queued. */
  pollId?: string;
};
