import { useCallback, useEffect, useMemo, useRef } from 'react';
import {
  type InitialForm,
  imageOf,
  isBlank,
  NEW_POLL_FORM,
  type PollForm,
} from '#app/features/polls/lib/create-poll-form.ts';
import { createDraftSaver, readDraft, saveDraft } from '#app/lib/drafts/draft-store.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { useAsync } from '#app/lib/use-async.ts';

function formName(replacesOpId: string | undefined): string {
  return replacesOpId ?? NEW_POLL_FORM;
}

function contentOf({ images, ...texts }: PollForm, replacesOpId: string | undefined): InitialForm {
  return { texts, pictures: { 1: imageOf(images[1]), 2: imageOf(images[2]) }, replacesOpId };
}

/** The polls that are still being stored, by form. Until such a promise settles, the draft of the form may be needed again. */
const creations = new Map<string, Promise<void>>();

/** Waits until no poll of this form is being stored. */
export async function untilStored(name: string): Promise<void> {
  await creations.get(name)?.catch(() => undefined);
}

/** Lets `untilStored` wait for the end of a creation. */
export function trackCreation(replacesOpId: string | undefined, creation: Promise<void>): void {
  const name = formName(replacesOpId);
  creations.set(name, creation);
  const forget = () => {
    if (creations.get(name) === creation) creations.delete(name);
  };
  creation.then(forget, forget);
}

/** Saves the form as a draft while it is edited; returns functions that discard the draft and save it again. */
export function useDraftSaver(form: PollForm, replacesOpId: string | undefined) {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const saver = useMemo(() => (userId === null ? null : createDraftSaver(userId, name)), [userId, name]);
  const wasFilled = useRef(false);

  useEffect(() => {
    const isFilled = !isBlank(form);
    // A form that was never filled has no draft.
    if (!isFilled && !wasFilled.current) return;
    wasFilled.current = true;
    saver?.change(isFilled ? contentOf(form, replacesOpId) : null);
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

  return {
    discard: () => saver?.discard(),
    /** Saves the discarded draft again. */
    async restore() {
      if (userId === null) return;
      await saveDraft(userId, name, contentOf(form, replacesOpId));
    },
  };
}

/** The saved draft; null when there is none, undefined until that is known. Waits for a poll of this form that is being stored. */
export function useSavedDraft(replacesOpId?: string): InitialForm | null | undefined {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const read = useCallback(async () => {
    if (userId === null) return undefined;
    await untilStored(name);
    // Only `useDraftSaver` and `useAskAgain` write drafts, always in this shape.
    return ((await readDraft(userId, name)) as InitialForm | undefined) ?? null;
  }, [userId, name]);
  return useAsync(read, null);
}
