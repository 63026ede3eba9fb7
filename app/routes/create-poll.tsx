import { Plus } from 'lucide-react';
import { lazy, Suspense, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { usePoints } from '#app/features/points/queries.ts';
import { useSavedDraft } from '#app/features/polls/hooks/use-draft.ts';
import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { focusMain } from '#app/lib/navigation/focus-main.ts';
import { PrimaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { CREATE_POLL_POINTS_MIN } from '#shared/polls/constants.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create/create-poll-dialog.tsx'));

/** Removes the query of the app shortcut, which has opened the dialog. */
function withoutCreate(search: string): string {
  const query = new URLSearchParams(search);
  query.delete('create');
  return query.toString();
}

/** Whether the points are enough for a poll, and a function that opens the dialog. */
export function useCreatePoll(): { canCreate: boolean; create(): void } {
  const points = usePoints();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const canCreate = points !== null && points.spendable >= CREATE_POLL_POINTS_MIN;

  useLayoutEffect(() => {
    // The dialog returns the focus to its opener, which is disabled once the points are spent.
    if (!canCreate && document.activeElement?.matches(':disabled')) focusMain();
  }, [canCreate]);

  function create() {
    // Unlike the router's, the browser's state is up to date on a second click in the same moment.
    if (window.history.state?.usr?.isCreating === true) return;
    navigate({ pathname, search: withoutCreate(search) }, { state: { isCreating: true } });
  }

  return { canCreate, create };
}

export function CreatePollButton({ className = '' }: { className?: string }) {
  const { canCreate, create } = useCreatePoll();
  return (
    <>
      <PrimaryButton onClick={create} disabled={!canCreate} className={className}>
        <Icon icon={Plus} /> Create Poll
      </PrimaryButton>
      <NewPollDialog />
    </>
  );
}

/** The dialog for a new poll, while the current history entry asks for it. */
export function NewPollDialog() {
  const { key, state } = useLocation();
  return state?.isCreating === true ? <DraftDialog key={key} /> : null;
}

function DraftDialog() {
  const draft = useSavedDraft();
  return draft === undefined ? null : <PollDialog initial={draft} />;
}

/** The form of a poll. It has a history entry of its own: Back closes it and keeps the draft. */
export function PollDialog({ initial }: { initial: InitialForm | null }) {
  const points = usePoints();
  const navigate = useNavigate();
  const isClosing = useRef(false);
  if (points === null) return null;

  function close() {
    // Navigating back takes a moment, in which Esc could be pressed again.
    if (isClosing.current) return;
    isClosing.current = true;
    navigate(-1);
  }

  return (
    <Suspense>
      <CreatePollDialog points={points} {...(initial === null ? {} : { initial })} onClose={close} />
    </Suspense>
  );
}
