import { useLiveQuery } from 'dexie-react-hooks';
import { Clock } from 'lucide-react';
import { useUserDb } from '#app/lib/engine/session.ts';
import { Icon } from '#app/ui/icon.tsx';
import { readPoints } from '#sync/client/cache/reads.ts';

/** Shown above the login form after a session has ended. */
export default function SessionEndedNote() {
  const db = useUserDb();
  const waiting = useLiveQuery(async () => (db === null ? null : readPoints(db)), [db])?.waitingOps ?? 0;
  const text =
    waiting === 0
      ? 'Your session has ended. Please log in again.'
      : `Log in to send ${waiting} ${waiting === 1 ? 'change' : 'changes'}`;
  return (
    <p
      role="status"
      className="mb-4 flex items-center gap-2 rounded-control bg-base-300 px-3.5 py-3 text-body"
    >
      <Icon icon={Clock} size={16} />
      {text}
    </p>
  );
}
