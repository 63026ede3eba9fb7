import { useCallback } from 'react';
import { type InitialForm, NEW_POLL_FORM } from '#app/features/polls/lib/create-poll-form.ts';
import { readDraft } from '#app/lib/drafts/draft-store.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { useAsync } from '#app/lib/use-async.ts';

export function formName(replacesOpId: string | undefined): string {
  return replacesOpId ?? NEW_POLL_FORM;
}

/** The polls and drafts that are still being stored, by form. Until such a promise resolves, the draft may change. */
const storingByForm = new Map<string, Promise<unknown>>();

/** Waits until neither a poll nor the draft of this form is being stored. */
export async function untilStored(name: string): Promise<void> {
  await storingByForm.get(name);
}

/** Lets `untilStored` wait for `storing`, too. */
export function trackStoring(replacesOpId: string | undefined, storing: Promise<void>): void {
  const name = formName(replacesOpId);
  const all = Promise.allSettled([storingByForm.get(name), storing]).then(() => {
    if (storingByForm.get(name) === all) storingByForm.delete(name);
  });
  storingByForm.set(name, all);
}

/** Reads the draft of a form; undefined if there is none. */
export async function readFormDraft(userId: number, name: string): Promise<InitialForm | undefined> {
  // Only `useDraftSaver` and `useAskAgain` write drafts, always in this shape.
  return (await readDraft(userId, name)) as InitialForm | undefined;
}

/** The saved draft; null when there is none, undefined until that is known. Waits until nothing of this form is being stored. */
export function useSavedDraft(replacesOpId?: string): InitialForm | null | undefined {
  const userId = useUser()?.id ?? null;
  const name = formName(replacesOpId);
  const read = useCallback(async () => {
    if (userId === null) return undefined;
    await untilStored(name);
    return (await readFormDraft(userId, name)) ?? null;
  }, [userId, name]);
  return useAsync(read, null);
}
