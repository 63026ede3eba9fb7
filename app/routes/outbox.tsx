import { useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect, useState } from 'react';
import { OutboxList } from '#app/features/outbox/components/outbox-list.tsx';
import { usePoints } from '#app/features/points/queries.ts';
import type { StartingForm } from '#app/features/polls/components/create-poll-form.ts';
import { SmallPair } from '#app/features/polls/components/small-pair.tsx';
import { useKeptDraft } from '#app/features/polls/components/use-draft.ts';
import { readRefusedPoll } from '#app/features/polls/queries.ts';
import { sessionAtom } from '#app/lib/engine.ts';
import { usePageTitle } from '#app/lib/page-title.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create-poll-dialog.tsx'));

export default function OutboxRoute() {
  const session = useAtomValue(sessionAtom);
  const points = usePoints();
  const [edited, setEdited] = useState<StartingForm | null>(null);
  const kept = useKeptDraft('edit');
  useEffect(() => setEdited(kept ?? null), [kept]);
  usePageTitle('Outbox');
  if (session.status !== 'user') return null;
  return (
    <div className="mx-auto w-full max-w-[35rem]">
      <h1 className="pt-3 pb-2 text-title max-md:hidden">Outbox</h1>
      <OutboxList
        points={points?.confirmed ?? null}
        pair={({ op, poll }) => (
          <SmallPair poll={poll} localOpId={op.type === 'createPoll' ? op.opId : null} />
        )}
        onEdit={(op) => void readRefusedPoll(op).then(setEdited)}
      />
      {edited !== null && points !== null && (
        <Suspense>
          <CreatePollDialog points={points} start={edited} onClose={() => setEdited(null)} />
        </Suspense>
      )}
    </div>
  );
}
