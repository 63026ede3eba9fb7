import { useRef, useState } from 'react';
import type { ImageSlot, InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { unreadableImageMessage } from '#app/features/polls/lib/unreadable-image.ts';
import { shrinkImage } from '#app/lib/images/shrink-image.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';

/** Shown if the file was moved or deleted, or its drive is unavailable. */
const FILE_UNAVAILABLE = 'This file could not be opened. Try another one.';
/** Shown if "Ask again" could not copy an image. */
const NOT_ON_DEVICE = 'This image is not on this device. Please choose it again.';

function slotOf(image: ImageInput | undefined, isCopy = false): ImageSlot {
  if (image !== undefined) return { kind: 'ready', image };
  return isCopy ? { kind: 'failed', error: NOT_ON_DEVICE } : { kind: 'empty' };
}

/** The two images of the form, which are shrunk as soon as they are chosen. */
export function useFormImages({ pictures = {}, isCopy }: Partial<InitialForm> = {}) {
  const [images, setImages] = useState({ 1: slotOf(pictures[1], isCopy), 2: slotOf(pictures[2], isCopy) });
  const latestFiles = useRef<Partial<Record<Option, File>>>({});
  const lastReadImages = useRef({ ...pictures });
  const reads = useRef<Promise<boolean>[]>([]);

  async function read(option: Option, file: File): Promise<boolean> {
    latestFiles.current[option] = file;
    const setSlot = (slot: ImageSlot) => {
      if (latestFiles.current[option] === file) setImages((before) => ({ ...before, [option]: slot }));
    };
    setSlot({ kind: 'reading', image: lastReadImages.current[option] });
    try {
      const image = await shrinkImage(file);
      if (latestFiles.current[option] !== file) return false;
      lastReadImages.current[option] = image;
      setSlot({ kind: 'ready', image });
      return true;
    } catch {
      const message = await unreadableImageMessage(file).catch(() => FILE_UNAVAILABLE);
      const image = lastReadImages.current[option];
      setSlot(image ? { kind: 'ready', image, error: message } : { kind: 'failed', error: message });
      return false;
    }
  }

  /** Returns whether the form has the image: not if the file cannot be read, or another one was picked in the meantime. */
  function pick(option: Option, file: File): Promise<boolean> {
    const reading = read(option, file);
    reads.current.push(reading);
    return reading;
  }

  /** Resolves with the images once all files are read. An unreadable file replaces no image. */
  async function untilRead(): Promise<Record<Option, ImageSlot>> {
    await Promise.all(reads.current);
    const { 1: first, 2: second } = lastReadImages.current;
    return { 1: slotOf(first), 2: slotOf(second) };
  }

  return { images, pick, untilRead };
}
