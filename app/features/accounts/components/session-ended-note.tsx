import { Clock } from 'lucide-react';
import { countLabel } from '#app/lib/count-label.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { Note } from '#app/ui/online.tsx';
import { readPoints } from '#sync/client/cache/reads.ts';

export default function SessionEndedNote() {
  const waitingCount = useUserQuery(readPoints)?.waitingOps ?? 0;
  return (
    <div role="status" className="mb-4">
      <Note icon={Clock}>
        {waitingCount === 0
          ? 'Your session has ended. Please log in again.'
          : `Log in to send ${countLabel(waitingCount, 'change')}`}
      </Note>
    </div>
  );
}
