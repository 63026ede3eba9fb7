import { Plus } from 'lucide-react';
import { lazy, Suspense, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { usePoints } from '#app/features/points/queries.ts';
import { useKeptDraft } from '#app/features/polls/hooks/use-draft.ts';
import { focusMain } from '#app/lib/focus-main.ts';
import { Key } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { CREATE_POLL_MIN_POINTS } from '#shared/polls/constants.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create/create-poll-dialog.tsx'));

/** The shortcut's query has done its work once the dialog is open. */
function withoutCreate(search: string): string {
  const query = new URLSearchParams(search);
  query.delete('create');
  return query.toString();
}

/** Whether the points suffice for a poll, and the way to open its dialog. */
export function useCreatePoll(): { canCreate: boolean; create(): void } {
  const points = usePoints();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const canCreate = points !== null && points.spendable >= CREATE_POLL_MIN_POINTS;

  useLayoutEffect(() => {
    // The dialog gives the focus back to what opened it, and with the points that is disabled a moment later.
    if (!canCreate && document.activeElement?.matches(':disabled')) focusMain();
  }, [canCreate]);

  function create() {
    // The browser's own state is there at once, so a second click in the same instant opens nothing more.
    if (window.history.state?.usr?.isCreating === true) return;
    navigate({ pathname, search: withoutCreate(search) }, { state: { isCreating: true } });
  }

  return { canCreate, create };
}

/** Create Poll with its dialog, for a screen of the user's own polls. */
export function CreatePollKey({ className = '' }: { className?: string }) {
  const { canCreate, create } = useCreatePoll();
  return (
    <>
      <Key onClick={create} disabled={!canCreate} className={className}>
        <Icon of={Plus} /> Create Poll
      </Key>
      <CreatePollHost />
    </>
  );
}

/** The dialog while it is open. It has an entry of its own in the history: Back closes it and keeps the draft. */
export function CreatePollHost() {
  const { key, state } = useLocation();
  return state?.isCreating === true ? <OpenDialog key={key} /> : null;
}

function OpenDialog() {
  const points = usePoints();
  const kept = useKeptDraft();
  const navigate = useNavigate();
  const isClosing = useRef(false);
  if (points === null || kept === undefined) return null;

  function close() {
    // Going back takes a moment, in which Esc can be pressed once more.
    if (isClosing.current) return;
    isClosing.current = true;
    navigate(-1);
  }

  return (
    <Suspense>
      <CreatePollDialog points={points} {...(kept === null ? {} : { start: kept })} onClose={close} />
    </Suspense>
  );
}
