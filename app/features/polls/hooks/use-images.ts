import { useEffect, useRef, useState } from 'react';
import { EMPTY_FORM, type Photo } from '#app/features/polls/lib/create-poll-form.ts';
import { wordsForUnreadable } from '#app/features/polls/lib/image-words.ts';
import { shrinkPhoto } from '#app/lib/images/shrink-image.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PictureInput } from '#sync/client/types.ts';

/** It was moved or deleted, or lies on a drive that is out of reach. */
const GONE = 'This file could not be opened. Try another one.';

function readyPhoto(picture: PictureInput, urls: Set<string>): Photo & { kind: 'ready' } {
  const url = URL.createObjectURL(new Blob([picture.bytes], { type: picture.mime }));
  urls.add(url);
  return { kind: 'ready', picture, url };
}

/** The two pictures of the form: shrunk as soon as they are chosen, their object URLs revoked at the end. */
export function usePhotos(start: Partial<Record<Option, PictureInput>> = {}) {
  const [photos, setPhotos] = useState<Record<Option, Photo>>(EMPTY_FORM.photos);
  const { 1: first, 2: second } = start;
  const newest = useRef<Record<Option, File | null>>({ 1: null, 2: null });
  const good = useRef<Partial<Record<Option, Photo & { kind: 'ready' }>>>({});
  const urls = useRef(new Set<string>());

  useEffect(() => {
    const made = urls.current;
    good.current = {
      ...(first && { 1: readyPhoto(first, made) }),
      ...(second && { 2: readyPhoto(second, made) }),
    };
    setPhotos({ ...EMPTY_FORM.photos, ...good.current });
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
      made.clear();
    };
  }, [first, second]);

  async function pick(option: Option, file: File) {
    newest.current[option] = file;
    const put = (photo: Photo) => {
      if (newest.current[option] === file) setPhotos((before) => ({ ...before, [option]: photo }));
    };
    put({ kind: 'working' });
    try {
      const picture = await shrinkPhoto(file);
      if (newest.current[option] !== file) return;
      const photo = readyPhoto(picture, urls.current);
      good.current[option] = photo;
      put(photo);
    } catch {
      const message = await wordsForUnreadable(file).catch(() => GONE);
      const before = good.current[option];
      put(before ? { ...before, refusal: message } : { kind: 'refused', message });
    }
  }

  return { photos, pick: (option: Option, file: File) => void pick(option, file) };
}
