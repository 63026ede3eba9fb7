import { Clock } from 'lucide-react';
import { countLabel } from '#app/lib/count-label.ts';
import { useOutboxCounts } from '#app/lib/engine/user-query.ts';
import { Note } from '#app/ui/online.tsx';

/** Says that the session has ended, or how many waiting changes the next login sends. */
export default function SessionEndedNote() {
  const { waiting } = useOutboxCounts();
  return (
    <div role="status" className="mb-4">
      <Note icon={Clock}>
        {waiting === 0
          ? 'Your session has ended. Please log in again.'
          : `Log in to send ${countLabel(waiting, 'change')}.`}
      </Note>
    </div>
  );
}
