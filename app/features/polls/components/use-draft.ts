import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { DRAFT_KEPT_AFTER_MS, dropDraft, keepDraft, readDraft } from '#app/lib/draft-store.ts';
import { sessionAtom } from '#app/lib/engine.ts';
import { isBlank, type Photo, type PollForm, type StartingForm } from './create-poll-form.ts';

type Place = 'new' | 'edit';

function useUserId(): number | null {
  const session = useAtomValue(sessionAtom);
  return session.status === 'user' ? session.user.id : null;
}

function pictureOf(photo: Photo) {
  return photo.kind === 'ready' ? photo.picture : undefined;
}

/** Keeps what is being written, so that a reload of the page loses nothing; returns the way to let it go. */
export function useKeepingDraft(form: PollForm, replacesOpId: string | undefined): () => void {
  const userId = useUserId();
  const place: Place = replacesOpId === undefined ? 'new' : 'edit';
  const isDone = useRef(false);

  useEffect(() => {
    if (userId === null || isBlank(form)) return;
    const { photos, ...texts } = form;
    const pictures = { 1: pictureOf(photos[1]), 2: pictureOf(photos[2]) };
    const timer = setTimeout(() => {
      if (!isDone.current) keepDraft(userId, place, { texts, pictures, replacesOpId }).catch(() => undefined);
    }, DRAFT_KEPT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [userId, place, replacesOpId, form]);

  return () => {
    isDone.current = true;
    if (userId !== null) dropDraft(userId, place).catch(() => undefined);
  };
}

/** What was being written in this tab when its page went away; null when there is none, undefined until that is read. */
export function useKeptDraft(place: Place): StartingForm | null | undefined {
  const userId = useUserId();
  const [kept, setKept] = useState<StartingForm | null>();
  useEffect(() => {
    if (userId === null) return;
    let isGone = false;
    readDraft(userId, place)
      .then((form) => {
        // Only this app writes there, and always this shape.
        if (!isGone) setKept((form as StartingForm | undefined) ?? null);
      })
      .catch(() => {
        if (!isGone) setKept(null);
      });
    return () => {
      isGone = true;
    };
  }, [userId, place]);
  return kept;
}
