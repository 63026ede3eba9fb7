import { CloudOff } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import { bringCardBack } from '#app/features/connection/actions.ts';
import { useOutboxCounts } from '#app/lib/engine/outbox-counts.ts';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';

const LOOK =
  'connection-chip flex h-9 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border border-edge px-3 max-xs:px-2 font-semibold text-small whitespace-nowrap relative after:absolute after:-inset-y-1 after:inset-x-0';

/** In the header once the card was put away: what waits and the way to it, or that there is no connection. */
export default function ConnectionChip() {
  const { waiting } = useOutboxCounts();
  const isInOutbox = useLocation().pathname === paths.outbox.href();
  if (isInOutbox && waiting > 0) return null;
  if (waiting === 0) {
    return (
      <button type="button" aria-label="Offline" onClick={bringCardBack} className={LOOK}>
        <Icon of={CloudOff} size={16} />
      </button>
    );
  }
  return (
    <Link to={paths.outbox.href()} aria-label={`${waiting} waiting`} className={LOOK}>
      <Icon of={CloudOff} size={16} />
      <span>
        {waiting}
        <span className="chip-word"> waiting</span>
      </span>
    </Link>
  );
}
