import { useRef, useState } from 'react';
import type { Photo } from '#app/features/polls/lib/create-poll-form.ts';
import { wordsForUnreadable } from '#app/features/polls/lib/image-words.ts';
import { shrinkPhoto } from '#app/lib/images/shrink-image.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PictureInput } from '#sync/client/types.ts';

/** It was moved or deleted, or lies on a drive that is out of reach. */
const GONE = 'This file could not be opened. Try another one.';

function photoOf(picture: PictureInput | undefined): Photo {
  return picture === undefined ? { kind: 'empty' } : { kind: 'ready', picture };
}

/** The two pictures of the form: shrunk as soon as they are chosen. */
export function usePhotos(start: Partial<Record<Option, PictureInput>> = {}) {
  const [photos, setPhotos] = useState({ 1: photoOf(start[1]), 2: photoOf(start[2]) });
  const newest = useRef<Partial<Record<Option, File>>>({});
  const good = useRef({ ...start });

  async function pick(option: Option, file: File) {
    newest.current[option] = file;
    const put = (photo: Photo) => {
      if (newest.current[option] === file) setPhotos((before) => ({ ...before, [option]: photo }));
    };
    put({ kind: 'working' });
    try {
      const picture = await shrinkPhoto(file);
      if (newest.current[option] !== file) return;
      good.current[option] = picture;
      put({ kind: 'ready', picture });
    } catch {
      const message = await wordsForUnreadable(file).catch(() => GONE);
      const picture = good.current[option];
      put(picture ? { kind: 'ready', picture, refusal: message } : { kind: 'refused', message });
    }
  }

  return { photos, pick: (option: Option, file: File) => void pick(option, file) };
}
