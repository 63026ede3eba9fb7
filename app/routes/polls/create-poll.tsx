import { Plus } from 'lucide-react';
import { lazy, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { untilStored, useSavedDraft } from '#app/features/polls/hooks/use-draft.ts';
import type { ReceivedPhotosState } from '#app/features/polls/hooks/use-received-photos.ts';
import {
  formWithQuestion,
  type InitialForm,
  NEW_POLL_FORM,
} from '#app/features/polls/lib/create-poll-form.ts';
import { readRefusedPollForm } from '#app/features/polls/queries.ts';
import { deleteReceivedPhotos } from '#app/lib/drafts/received-photos.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { useAsync } from '#app/lib/use-async.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';
import { readReceivedPhotos } from '#sync/client/device/received-photos.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create/create-poll-dialog.tsx'));
const DraftConflictDialog = lazy(() => import('#app/features/polls/components/create/draft-conflict.tsx'));

/** Removes the parameter with which the address has opened the dialog, such as that of the app shortcut. */
function withoutCreateParam(search: string): string {
  const query = new URLSearchParams(search);
  query.delete('create');
  return query.toString();
}

/**
 * `question`: the initial question, unless there are photos from another app. `hasLostPhotos`: such photos could not
 * be stored.
 */
type OpenOptions = { question?: string | undefined; hasLostPhotos?: boolean };

/** Whether the points are enough for a poll, and a function that opens the dialog. */
export function useNewPollDialog(): { canCreate: boolean; openDialog(options?: OpenOptions): void } {
  const points = usePoints();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const canCreate = points !== null && points.spendable >= CREATE_POLL_POINTS_MIN;

  useLayoutEffect(() => {
    // The dialog returns the focus to its opener, which is disabled once the points are spent.
    if (!canCreate && document.activeElement?.matches(':disabled')) focusMain();
  }, [canCreate]);

  function openDialog(options: OpenOptions = {}) {
    // On a double click the browser's state is up to date, but the router's is not yet.
    if (window.history.state?.usr?.isCreating === true) return;
    navigate({ pathname, search: withoutCreateParam(search) }, { state: { isCreating: true, ...options } });
  }

  return { canCreate, openDialog };
}

export function CreatePollButton({ className = '' }: { className?: string }) {
  const { canCreate, openDialog } = useNewPollDialog();
  return (
    <>
      <PrimaryButton onClick={() => openDialog()} disabled={!canCreate} className={className}>
        <Icon icon={Plus} /> Create Poll
      </PrimaryButton>
      <NewPollDialog />
    </>
  );
}

/** The dialog for a new poll, open while the state of the history entry says so. */
export function NewPollDialog() {
  const { key, state } = useLocation();
  return state?.isCreating === true ? (
    <DraftDialog key={key} question={state.question} hasLostPhotos={state.hasLostPhotos} />
  ) : null;
}

/**
 * Reads the photos from another app that are in no draft. First waits for a draft that is being stored: it may be the one with
 * these photos, which are then no longer returned.
 */
async function readNewPhotos() {
  await untilStored(NEW_POLL_FORM);
  return readReceivedPhotos();
}

/**
 * Starts from the saved draft, from photos that another app has shared, or from a suggested question. If there is a draft that
 * these would replace, the user decides.
 */
function DraftDialog({ question, hasLostPhotos = false }: OpenOptions) {
  const draft = useSavedDraft();
  const photos = useAsync(readNewPhotos, null);
  const [choice, setChoice] = useState<'draft' | 'new' | null>(null);
  const close = useCloseDialog();
  useEffect(() => {
    // Without the question: a reload opens the draft, whose question may have been edited by then.
    window.history.replaceState({ ...window.history.state, usr: { isCreating: true } }, '');
  }, []);
  if (draft === undefined || photos === undefined) return null;
  if (draft === null || choice === 'new') {
    const initial = question === undefined || photos !== null ? null : formWithQuestion(question);
    return <PollDialog initial={initial} received={photos ?? (hasLostPhotos ? 'not_stored' : null)} />;
  }
  const isSameQuestion = (question ?? draft.texts.question) === draft.texts.question;
  if (choice === 'draft' || (photos === null && isSameQuestion)) {
    return <PollDialog initial={draft} received={hasLostPhotos ? 'not_stored' : null} />;
  }
  const source = photos === null ? 'this idea' : photos.files.length === 1 ? 'the photo' : 'the photos';
  return (
    <LazyDialog onClose={close}>
      <DraftConflictDialog
        draft={draft}
        replacement={`A new poll with ${source}`}
        replaceLabel={`New poll with ${source}`}
        onKeep={() => {
          void deleteReceivedPhotos();
          setChoice('draft');
        }}
        onReplace={() => setChoice('new')}
        onClose={close}
      />
    </LazyDialog>
  );
}

/** Returns a function that closes the dialog by going back from its history entry. */
function useCloseDialog(): () => void {
  const navigate = useNavigate();
  const { key } = useLocation();
  const isClosing = useRef(false);
  useEffect(() => {
    isClosing.current = false;
    return () => {
      // From now on `close` does nothing: Forward may have opened the entry again, in another dialog.
      isClosing.current = true;
    };
  }, []);
  return () => {
    // Navigating back takes a moment, in which Esc could be pressed again; and Back may have left the entry already.
    if (isClosing.current || window.history.state?.key !== key) return;
    isClosing.current = true;
    navigate(-1);
  };
}

type PollDialogProps = { initial: InitialForm | null; received?: ReceivedPhotosState | null };

/** The form of a poll. It has a history entry of its own: Back and Esc close it and keep the draft. */
function PollDialog({ initial, received = null }: PollDialogProps) {
  const points = usePoints();
  const close = useCloseDialog();
  if (points === null) return null;
  return (
    <LazyDialog onClose={close}>
      <CreatePollDialog
        points={points}
        {...(initial === null ? {} : { initial })}
        received={received}
        onClose={close}
      />
    </LazyDialog>
  );
}

/** Edits a refused poll, starting from its saved draft if there is one. Closes if the poll is no longer in the outbox. */
export function EditPollDialog({ opId }: { opId: string }) {
  const draft = useSavedDraft(opId);
  const readForm = useCallback(async () => {
    await untilStored(opId);
    return readRefusedPollForm(opId);
  }, [opId]);
  const refusedForm = useAsync(readForm, null);
  const close = useCloseDialog();
  const isGone = draft === null && refusedForm === null;
  useEffect(() => {
    if (isGone) close();
  });
  if (draft === undefined || refusedForm === undefined || isGone) return null;
  return <PollDialog initial={draft ?? refusedForm} />;
}
