import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { OutboxList } from '#app/features/outbox/components/outbox-list.tsx';
import { usePoints } from '#app/features/points/queries.ts';
import { SmallPair } from '#app/features/polls/components/card/small-pair.tsx';
import { useKeptDraft } from '#app/features/polls/hooks/use-draft.ts';
import type { StartingForm } from '#app/features/polls/lib/create-poll-form.ts';
import { readRefusedPoll } from '#app/features/polls/queries.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/page-title.ts';
import { operationOf } from '#sync/operations/registry.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create/create-poll-dialog.tsx'));

export default function OutboxRoute() {
  const session = useSession();
  const points = usePoints();
  const { pathname, key, state } = useLocation();
  const navigate = useNavigate();
  usePageTitle('Outbox');
  if (session.status !== 'user') return null;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Outbox</h1>
      <OutboxList
        points={points?.confirmed ?? null}
        pair={({ op, poll }) => (
          <SmallPair poll={poll} localOpId={operationOf(op).newPoll === null ? null : op.opId} />
        )}
        onEdit={(opId) => navigate(pathname, { state: { editedOpId: opId } })}
      />
      {typeof state?.editedOpId === 'string' && <EditHost key={key} opId={state.editedOpId} />}
    </div>
  );
}

/** The form of a refused poll. It has an entry of its own in the history: Back closes it and keeps the draft. */
function EditHost({ opId }: { opId: string }) {
  const points = usePoints();
  const kept = useKeptDraft(opId);
  const [refused, setRefused] = useState<StartingForm | null>(null);
  const navigate = useNavigate();
  const isClosing = useRef(false);
  useEffect(() => {
    if (kept === null) void readRefusedPoll(opId).then(setRefused);
  }, [kept, opId]);
  const start = kept ?? refused;
  if (points === null || start === null) return null;

  function close() {
    if (isClosing.current) return;
    isClosing.current = true;
    navigate(-1);
  }

  return (
    <Suspense>
      <CreatePollDialog points={points} start={start} onClose={close} />
    </Suspense>
  );
}
