import { ChevronRight, CircleAlert, Clock } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useOutboxCounts } from '#app/lib/engine/outbox-counts.ts';
import { changesLabel } from '#app/lib/engine/outbox-words.ts';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';

/** Leads to the outbox while something is in it. */
export function OutboxLink() {
  const { needsYou, waiting } = useOutboxCounts();
  if (needsYou + waiting === 0) return null;
  const words = needsYou > 0 ? `Needs you · ${needsYou}` : `${changesLabel(waiting)} waiting`;
  return (
    <Link
      to={paths.outbox.href()}
      className="mt-4 flex min-h-12 items-center gap-3 rounded-key bg-base-100 px-4 text-body shadow-card"
    >
      <Icon of={needsYou > 0 ? CircleAlert : Clock} className={needsYou > 0 ? 'text-error' : ''} />
      <span className="font-semibold">Outbox</span>
      <span className="ml-auto text-muted">{words}</span>
      <Icon of={ChevronRight} size={16} />
    </Link>
  );
}
