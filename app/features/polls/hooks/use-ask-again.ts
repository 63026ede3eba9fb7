import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { copyOf } from '#app/features/polls/lib/copied-draft.ts';
import { type InitialForm, NEW_POLL_FORM } from '#app/features/polls/lib/create-poll-form.ts';
import { saveDraft } from '#app/lib/drafts/draft-store.ts';
import { useUser } from '#app/lib/engine/session.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { readFormDraft, untilStored } from './use-draft.ts';

/** Identifies the entry of the browser's history, and so the screen or dialog, that the user sees. */
const historyKey = (): unknown => window.history.state?.key;

/**
 * Opens the create dialog with a copy of a poll, unless the user goes elsewhere while the poll's images are read.
 * - `isBusy`: whether images are being read or the draft is being saved
 * - `conflict`: the draft that the copy would replace, until the user chooses `replace` or `keep`; otherwise null
 */
export function useAskAgain(poll: Poll) {
  const user = useUser();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<{ draft: InitialForm; copy: InitialForm } | null>(null);

  /** Runs `work` unless an earlier call is still running. Shows an error as a toast. */
  async function runExclusively(work: (userId: number) => Promise<void>) {
    if (isBusy || user === null) return;
    dismissTopic('maker');
    setBusy(true);
    try {
      await work(user.id);
    } catch {
      showToast('error', 'The poll was not copied', 'This device could not save the draft.', {
        topic: 'maker',
      });
    } finally {
      setBusy(false);
    }
  }

  async function open(userId: number, copy: InitialForm) {
    await saveDraft(userId, NEW_POLL_FORM, copy);
    setConflict(null);
    navigate(paths.myPolls.href(), { state: { isCreating: true } });
  }

  return {
    isBusy,
    conflict: conflict?.draft ?? null,
    askAgain: () =>
      void runExclusively(async (userId) => {
        const keyBefore = historyKey();
        const copy = await copyOf(poll);
        // While a poll is being stored, its draft still exists: it would count as a conflict, and its deletion could hit the copy.
        await untilStored(NEW_POLL_FORM);
        if (historyKey() !== keyBefore) return;
        // Read after the images: a draft that was typed in the meantime must not be replaced either.
        const draft = await readFormDraft(userId, NEW_POLL_FORM);
        if (draft === undefined) await open(userId, copy);
        else setConflict({ draft, copy });
      }),
    replace: () =>
      void runExclusively(async (userId) => {
        if (conflict !== null) await open(userId, conflict.copy);
      }),
    keep: () => setConflict(null),
  };
}
