import { useEffect, useMemo, useRef, useState } from 'react';
import {
  type ImageSlot,
  isBlank,
  type PollForm,
  type StartingForm,
} from '#app/features/polls/lib/create-poll-form.ts';
import { createDraftKeeper, readDraft } from '#app/lib/drafts/draft-store.ts';
import { useSession } from '#app/lib/engine/session.ts';

/** Each refused poll has a form of its own. */
function formName(replacesOpId: string | undefined): string {
  return replacesOpId ?? 'new';
}

function useUserId(): number | null {
  const session = useSession();
  return session.status === 'user' ? session.user.id : null;
}

function imageOf(slot: ImageSlot) {
  return slot.kind === 'ready' ? slot.image : undefined;
}

/** Keeps what is being written, so that the end of the page loses nothing; returns the way to let it go. */
export function useKeepingDraft(form: PollForm, replacesOpId: string | undefined): () => void {
  const userId = useUserId();
  const name = formName(replacesOpId);
  const keeper = useMemo(() => (userId === null ? null : createDraftKeeper(userId, name)), [userId, name]);
  const wasFilled = useRef(false);

  useEffect(() => {
    const isFilled = !isBlank(form);
    // A form that nobody has filled has nothing to keep.
    if (!isFilled && !wasFilled.current) return;
    wasFilled.current = true;
    const { images, ...texts } = form;
    const pictures = { 1: imageOf(images[1]), 2: imageOf(images[2]) };
    keeper?.change(isFilled ? { texts, pictures, replacesOpId } : null);
  }, [keeper, replacesOpId, form]);

  useEffect(() => {
    if (keeper === null) return;
    const { flush } = keeper;
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
      flush();
    };
  }, [keeper]);

  return () => keeper?.drop();
}

/** What was being written when its page went away; null when there is none, undefined until that is read. */
export function useKeptDraft(replacesOpId?: string): StartingForm | null | undefined {
  const userId = useUserId();
  const name = formName(replacesOpId);
  const [kept, setKept] = useState<StartingForm | null>();
  useEffect(() => {
    if (userId === null) return;
    let isGone = false;
    readDraft(userId, name)
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
  }, [userId, name]);
  return kept;
}
