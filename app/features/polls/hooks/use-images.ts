import { useRef, useState } from 'react';
import type { ImageSlot } from '#app/features/polls/lib/create-poll-form.ts';
import { wordsForUnreadable } from '#app/features/polls/lib/image-words.ts';
import { shrinkImage } from '#app/lib/images/shrink-image.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/types.ts';

/** It was moved or deleted, or lies on a drive that is out of reach. */
const GONE = 'This file could not be opened. Try another one.';

function slotOf(image: ImageInput | undefined): ImageSlot {
  return image === undefined ? { kind: 'empty' } : { kind: 'ready', image };
}

/** The two images of the form: shrunk as soon as they are chosen. */
export function useImages(start: Partial<Record<Option, ImageInput>> = {}) {
  const [images, setImages] = useState({ 1: slotOf(start[1]), 2: slotOf(start[2]) });
  const newest = useRef<Partial<Record<Option, File>>>({});
  const good = useRef({ ...start });

  async function pick(option: Option, file: File) {
    newest.current[option] = file;
    const put = (slot: ImageSlot) => {
      if (newest.current[option] === file) setImages((before) => ({ ...before, [option]: slot }));
    };
    put({ kind: 'working' });
    try {
      const image = await shrinkImage(file);
      if (newest.current[option] !== file) return;
      good.current[option] = image;
      put({ kind: 'ready', image });
    } catch {
      const message = await wordsForUnreadable(file).catch(() => GONE);
      const image = good.current[option];
      put(image ? { kind: 'ready', image, refusal: message } : { kind: 'refused', message });
    }
  }

  return { images, pick: (option: Option, file: File) => void pick(option, file) };
}
