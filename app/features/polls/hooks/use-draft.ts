import { useCallback, useEffect, useMemo, useRef } from 'react';
import {
  type ImageSlot,
  type InitialForm,
  isBlank,
  NEW_POLL_FORM,
  type PollForm,
} from '#app/features/polls/lib/create-poll-form.ts';
import { createDraftSaver, readDraft } from '#app/lib/drafts/draft-store.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { useAsync } from '#app/lib/use-async.ts';

function formName(replacesOpId: string | undefined): string {
  return replacesOpId ?? NEW_POLL_FORM;
}

function imageOf(slot: ImageSlot) {
  return slot.kind === 'ready' ? slot.image : undefined;
}

/** Saves the form as a draft while it is edited; returns a function that discards the draft. */
export function useDraftSaver(form: PollForm, replacesOpId: string | undefined): () => void {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const saver = useMemo(() => (userId === null ? null : createDraftSaver(userId, name)), [userId, name]);
  const wasFilled = useRef(false);

  useEffect(() => {
    const isFilled = !isBlank(form);
    // A form that was never filled has no draft.
    if (!isFilled && !wasFilled.current) return;
    wasFilled.current = true;
    const { images, ...texts } = form;
    const pictures = { 1: imageOf(images[1]), 2: imageOf(images[2]) };
    saver?.change(isFilled ? { texts, pictures, replacesOpId } : null);
  }, [saver, replacesOpId, form]);

  useEffect(() => {
    if (saver === null) return;
    const { flush } = saver;
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
      flush();
    };
  }, [saver]);

  return () => saver?.discard();
}

/** The saved draft; null when there is none, undefined until that is known. */
export function useSavedDraft(replacesOpId?: string): InitialForm | null | undefined {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const read = useCallback(async () => {
    if (userId === null) return undefined;
    // Only `useDraftSaver` and `useAskAgain` write drafts, always in this shape.
    return ((await readDraft(userId, name)) as InitialForm | undefined) ?? null;
  }, [userId, name]);
  return useAsync(read, null);
}
