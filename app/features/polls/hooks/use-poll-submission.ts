import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { createPoll } from '#app/features/polls/actions.ts';
import {
  draftOf,
  imageErrorOf,
  isReadingImages,
  type PollForm,
  type Problem,
  problemOf,
} from '#app/features/polls/lib/create-poll-form.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import { trackStoring } from './use-draft.ts';

/** `reading`: the form was submitted while an image was being read, and is submitted again once it is read. */
type Phase = 'editing' | 'reading' | 'saving';

type Options = {
  /** The points that the poll may cost; null for a visitor. */
  spendable: number | null;
  /** The id of the refused op that the poll replaces. */
  replacesOpId: string | undefined;
  onCreated(): void;
  onQuestionMissing(): void;
};

/** Submits the form for a new poll, and shows the first problem until it is solved or the form is closed. */
export function usePollSubmission(form: PollForm, options: Options) {
  const { spendable, replacesOpId, onCreated, onQuestionMissing } = options;
  const [shownProblem, setShownProblem] = useState<Problem | null>(null);
  const [phase, setPhase] = useState<Phase>('editing');
  const submittedImages = useRef(form.images);

  if (shownProblem !== null && shownProblem.title !== problemOf(form, spendable)?.title)
    setShownProblem(null);
  const hasProblem = shownProblem !== null;
  useEffect(() => (hasProblem ? () => dismissTopic('create-poll') : undefined), [hasProblem]);
  useEffect(() => () => dismissTopic('create-poll'), []);

  async function submit() {
    const problem = problemOf(form, spendable);
    setShownProblem(problem);
    dismissTopic('create-poll');
    if (problem !== null) {
      setPhase('editing');
      showToast('error', problem.title, problem.text, { topic: 'create-poll' });
      if (problem.field === 'question') onQuestionMissing();
      return;
    }
    const draft = draftOf(form);
    submittedImages.current = form.images;
    if (draft === null) {
      setPhase('reading');
      return;
    }
    setPhase('saving');
    const creation = create(draft);
    trackStoring(replacesOpId, creation);
    await creation;
  }

  async function create(draft: PollDraft) {
    if (await createPoll(draft, replacesOpId)) onCreated();
    else setPhase('editing');
  }

  const areImagesRead = phase === 'reading' && !isReadingImages(form);
  const submitAgain = useEffectEvent(() => {
    // A file that was still being read at the submission may be unreadable. The image that it was to replace is then still in its
    // slot, but must not be posted. Errors from before the submission do not count.
    const isUnreadable = ([1, 2] as const).some((option) => {
      const slot = form.images[option];
      return slot !== submittedImages.current[option] && imageErrorOf(slot) !== null;
    });
    if (isUnreadable) setPhase('editing');
    else void submit();
  });
  useEffect(() => {
    if (areImagesRead) submitAgain();
  }, [areImagesRead]);

  /** Stops waiting for images: the poll is not created once they are read. */
  function stopWaiting() {
    setPhase((current) => (current === 'reading' ? 'editing' : current));
  }

  return { phase, problemField: shownProblem?.field ?? null, submit, stopWaiting };
}
