import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import { IMAGE } from './world.ts';

const encoder = new TextEncoder();

/** The draft of a valid poll. Each title gets different images. */
export function pollDraft(responsesWanted: number, title: string): PollDraft {
  const image = (text: string) => {
    // Decoders ignore bytes after the end of an image; these make each upload different.
    const tail = encoder.encode(text);
    const bytes = new Uint8Array(IMAGE.length + tail.length);
    bytes.set(IMAGE);
    bytes.set(tail, IMAGE.length);
    return { bytes: bytes.buffer, mime: 'image/webp', width: 40, height: 30 };
  };
  return {
    question: title,
    option1Caption: 'This',
    option2Caption: '',
    durationDays: 3,
    responsesWanted,
    images: [image(`${title} 1`), image(`${title} 2`)],
  };
}
