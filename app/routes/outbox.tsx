import { useLocation, useNavigate } from 'react-router-dom';
import { tryAgain } from '#app/features/outbox/actions.ts';
import { OutboxList } from '#app/features/outbox/components/outbox-list.tsx';
import { PollThumbnail } from '#app/features/polls/components/card/poll-thumbnail.tsx';
import { readDraft } from '#app/lib/drafts/draft-store.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { usePoints } from '#app/lib/engine/user-query.ts';
import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { createsPoll, type Op } from '#sync/operations/registry.ts';
import { EditPollDialog } from './polls/create-poll.tsx';

export default function OutboxRoute() {
  const session = useSession();
  const points = usePoints();
  const { pathname, key, state } = useLocation();
  const navigate = useNavigate();
  usePageTitle('Outbox');
  if (session.status !== 'user') return null;

  function edit(opId: string) {
    // On a double click the browser's state is up to date, but the router's is not yet.
    if (window.history.state?.usr?.editedOpId === opId) return;
    navigate(pathname, { state: { editedOpId: opId } });
  }

  /** Sends a refused change again. If it is a poll that was edited since, opens its draft instead. */
  async function tryAgainOrEdit(op: Op) {
    const draft = await readDraft(op.userId, op.opId).catch(() => undefined);
    if (draft === undefined) await tryAgain(op);
    else edit(op.opId);
  }

  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Outbox</h1>
      <OutboxList
        points={points?.spendable ?? null}
        renderThumbnail={({ op, poll }) => (
          <PollThumbnail poll={poll} createOpId={createsPoll(op) ? op.opId : null} />
        )}
        onEdit={edit}
        onTryAgain={(op) => void tryAgainOrEdit(op)}
      />
      {typeof state?.editedOpId === 'string' && <EditPollDialog key={key} opId={state.editedOpId} />}
    </div>
  );
}
