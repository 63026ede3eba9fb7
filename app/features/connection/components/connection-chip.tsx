import { CloudOff } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import { showConnectionCard } from '#app/features/connection/actions.ts';
import { useOutboxCounts } from '#app/lib/engine/user-query.ts';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';

const CLASS_NAME =
  'connection-chip flex h-9 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border border-edge px-3 max-xs:px-2 max-md:in-data-[has-back]:px-2 font-semibold text-small whitespace-nowrap relative after:absolute after:-inset-y-1 after:inset-x-0';

/**
 * Shown in the header in place of a dismissed connection card: a link to the outbox while changes are waiting, else a button
 * that shows the card again.
 */
export default function ConnectionChip() {
  const { waiting } = useOutboxCounts();
  const isInOutbox = useLocation().pathname === paths.outbox.href();
  if (isInOutbox && waiting > 0) return null;
  if (waiting === 0) {
    return (
      <button type="button" aria-label="Offline" onClick={showConnectionCard} className={CLASS_NAME}>
        <Icon icon={CloudOff} size={16} />
      </button>
    );
  }
  return (
    <Link to={paths.outbox.href()} aria-label={`${waiting} waiting`} className={CLASS_NAME}>
      <Icon icon={CloudOff} size={16} />
      <span>
        {waiting}
        <span className="chip-word"> waiting</span>
      </span>
    </Link>
  );
}
