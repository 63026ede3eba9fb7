import type { PollDraft } from '#sync/client/types.ts';
import { PICTURE } from './world.ts';

const encoder = new TextEncoder();

/** A poll that can be made, for as many responses; its pictures differ by its title. */
export function pollDraft(responsesWanted: number, title: string): PollDraft {
  const picture = (text: string) => {
    // Bytes after the end of a picture are no part of it, but make each upload differ.
    const tail = encoder.encode(text);
    const bytes = new Uint8Array(PICTURE.length + tail.length);
    bytes.set(PICTURE);
    bytes.set(tail, PICTURE.length);
    return { bytes: bytes.buffer, mime: 'image/webp', width: 40, height: 30 };
  };
  return {
    question: title,
    option1Caption: 'This',
    option2Caption: '',
    durationDays: 3,
    responsesWanted,
    images: [picture(`${title} 1`), picture(`${title} 2`)],
  };
}
