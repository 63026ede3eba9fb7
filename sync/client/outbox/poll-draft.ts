/** An image as it is uploaded. `width` and `height` are in pixels. */
export type ImageInput = { bytes: ArrayBuffer; mime: string; width: number; height: number };

/** A poll as the create dialog submits it. */
export type PollDraft = {
  question: string;
  option1Caption: string;
  option2Caption: string;
  durationDays: number;
  responsesWanted: number;
  images: readonly [ImageInput, ImageInput];
  /**
   * Generated with the draft, so that a draft submitted twice results in one poll. If absent, an id is generated when the poll
   * is queued.
   */
  pollId?: string;
};
