import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { OutboxList } from '#app/features/outbox/components/outbox-list.tsx';
import { usePoints } from '#app/features/points/queries.ts';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { useSavedDraft } from '#app/features/polls/hooks/use-draft.ts';
import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { readRefusedPollForm } from '#app/features/polls/queries.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { operationOf } from '#sync/operations/registry.ts';
import { PollDialog } from './polls/create-poll.tsx';

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
        renderThumbnail={({ op, poll }) => (
          <PollThumbnail poll={poll} createOpId={operationOf(op).newPoll === null ? null : op.opId} />
        )}
        onEdit={(opId) => navigate(pathname, { state: { editedOpId: opId } })}
      />
      {typeof state?.editedOpId === 'string' && <EditDialog key={key} opId={state.editedOpId} />}
    </div>
  );
}

/** Edits a refused poll, starting from its saved draft if there is one. */
function EditDialog({ opId }: { opId: string }) {
  const draft = useSavedDraft(opId);
  const [refusedForm, setRefusedForm] = useState<InitialForm | null>(null);
  useEffect(() => {
    if (draft === null) void readRefusedPollForm(opId).then(setRefusedForm);
  }, [draft, opId]);
  const initial = draft ?? refusedForm;
  return initial === null ? null : <PollDialog initial={initial} />;
}
