import { useAtom, useSetAtom } from 'jotai';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { usePoints } from '#app/features/points/queries.ts';
import { createPollOpenAtom } from '#app/features/polls/atoms.ts';
import type { StartingForm } from '#app/features/polls/components/create-poll-form.ts';
import { useKeptDraft } from '#app/features/polls/components/use-draft.ts';
import { Icon } from '#app/ui/icon.tsx';
import { Key } from '#app/ui/key.tsx';
import { CREATE_POLL_MIN_POINTS } from '#shared/polls/constants.ts';

const CreatePollDialog = lazy(() => import('#app/features/polls/components/create-poll-dialog.tsx'));

/** Whether the points suffice for a poll, and the way to open its dialog. */
export function useCreatePoll(): { canCreate: boolean; create(): void } {
  const points = usePoints();
  const setOpen = useSetAtom(createPollOpenAtom);
  return {
    canCreate: points !== null && points.spendable >= CREATE_POLL_MIN_POINTS,
    create: () => setOpen(true),
  };
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

/** The dialog while it is open, again after a reload too. A screen that is left takes it along. */
export function CreatePollHost() {
  const [isOpen, setOpen] = useAtom(createPollOpenAtom);
  const points = usePoints();
  const kept = useKeptDraft('new');
  const [start, setStart] = useState<StartingForm>();
  useEffect(() => () => setOpen(false), [setOpen]);
  useEffect(() => {
    if (kept === null) return;
    setStart(kept);
    setOpen(true);
  }, [kept, setOpen]);
  if (!isOpen || points === null) return null;
  return (
    <Suspense>
      <CreatePollDialog
        key={start === undefined ? 'empty' : 'kept'}
        points={points}
        {...(start === undefined ? {} : { start })}
        onClose={() => {
          setStart(undefined);
          setOpen(false);
        }}
      />
    </Suspense>
  );
}
