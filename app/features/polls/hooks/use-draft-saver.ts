import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import {
  type InitialForm,
  imageOf,
  isBlank,
  isReadingImages,
  type PollForm,
} from '#app/features/polls/lib/create-poll-form.ts';
import { createDraftSaver, saveDraft } from '#app/lib/drafts/draft-store.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { formName, trackStoring } from './use-draft.ts';

/** The content of the draft; null if the form is blank. */
function contentOf(form: PollForm, replacesOpId: string | undefined): InitialForm | null {
  if (isBlank(form)) return null;
  const { images, ...texts } = form;
  return { texts, pictures: { 1: imageOf(images[1]), 2: imageOf(images[2]) }, replacesOpId };
}

type Options = {
  /** Resolves with the images once all of them are read. */
  untilRead(): Promise<PollForm['images']>;
  /** Called each time a draft was saved that contains all images of the form. */
  onSaved(): Promise<void>;
};

/**
 * Saves the form as a draft while it is edited; returns functions that discard the draft and save it again. If the form is closed
 * while an image is being read, the draft is saved again once the image is read.
 */
export function useDraftSaver(
  form: PollForm,
  replacesOpId: string | undefined,
  { untilRead, onSaved }: Options,
) {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const saver = useMemo(() => (userId === null ? null : createDraftSaver(userId, name)), [userId, name]);
  const [initialForm] = useState(form);
  const wasFilled = useRef(false);
  const isDiscarded = useRef(false);

  useEffect(() => {
    // A refused poll that was not edited has no draft: Try again would open it instead of sending the poll.
    if (replacesOpId !== undefined && form === initialForm) return;
    const content = contentOf(form, replacesOpId);
    // A form that was never filled has no draft.
    if (content === null && !wasFilled.current) return;
    wasFilled.current = true;
    saver?.change(content, isReadingImages(form) ? undefined : onSaved);
  }, [saver, replacesOpId, form, initialForm, onSaved]);

  useEffect(() => {
    if (saver === null) return;
    const flush = () => saver.flush();
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
      trackStoring(replacesOpId, flush());
    };
  }, [saver, replacesOpId]);

  async function saveOnceRead(): Promise<void> {
    const content = contentOf({ ...form, images: await untilRead() }, replacesOpId);
    if (userId === null || content === null) return;
    await saveDraft(userId, name, content);
    await onSaved();
  }

  const completeDraft = useEffectEvent(() => {
    if (!isDiscarded.current && isReadingImages(form)) trackStoring(replacesOpId, saveOnceRead());
  });
  useEffect(() => () => completeDraft(), []);

  return {
    discard() {
      isDiscarded.current = true;
      saver?.discard();
    },
    /** Saves the discarded draft again, once its images are read. */
    restore(): Promise<void> {
      const restored = saveOnceRead();
      trackStoring(replacesOpId, restored);
      return restored;
    },
  };
}
