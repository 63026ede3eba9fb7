import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { type InitialForm, NEW_POLL_FORM } from '#app/features/polls/lib/create-poll-form.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { showToast } from '#app/lib/toasts.ts';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';

/**
 * Opens the create dialog with a copy of a poll. `conflict` is the draft that the copy would replace, until the user chooses
 * `replace` or `keep`; otherwise null.
 */
export function useAskAgain(poll: Poll) {
  const userId = useUser()?.id ?? null;
  const navigate = useNavigate();
  const isBusy = useRef(false);
  const [conflict, setConflict] = useState<InitialForm | null>(null);

  /** Runs `work` unless an earlier call is still running. Shows an error as a toast. */
  async function runExclusively(work: (userId: number) => Promise<void>) {
    if (isBusy.current || userId === null) return;
    isBusy.current = true;
    try {
      await work(userId);
    } catch {
      showToast('error', 'The poll was not copied', 'This device could not save the draft.', {
        topic: 'maker',
      });
    } finally {
      isBusy.current = false;
    }
  }

  async function copy(id: number) {
    const { copyToDraft } = await import('#app/features/polls/lib/copied-draft.ts');
    const missingCount = await copyToDraft(id, poll);
    setConflict(null);
    navigate(paths.myPolls.href(), { state: { isCreating: true } });
    if (missingCount === 0) return;
    const [title, text] =
      missingCount === 1
        ? ['An image is missing', 'It is not on this device. Please choose it again.']
        : ['The images are missing', 'They are not on this device. Please choose them again.'];
    showToast('error', title, text, { topic: 'create-poll' });
  }

  return {
    conflict,
    askAgain: () =>
      void runExclusively(async (id) => {
        const { readDraft } = await import('#app/lib/drafts/draft-store.ts');
        // Only `useDraftSaver` and `copyToDraft` write drafts, always in this shape.
        const draft = (await readDraft(id, NEW_POLL_FORM)) as InitialForm | undefined;
        if (draft === undefined) await copy(id);
        else setConflict(draft);
      }),
    replace: () => void runExclusively(copy),
    keep: () => setConflict(null),
  };
}
