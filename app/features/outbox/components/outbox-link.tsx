import { ChevronRight, CircleAlert, Clock } from 'lucide-react';
import { Link } from 'react-router-dom';
import { countLabel } from '#app/lib/count-label.ts';
import { useOutboxCounts } from '#app/lib/engine/user-query.ts';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';

export function OutboxLink() {
  const { needsDecision, waiting } = useOutboxCounts();
  if (needsDecision + waiting === 0) return null;
  const status =
    needsDecision > 0 ? `Needs attention · ${needsDecision}` : `${countLabel(waiting, 'change')} waiting`;
  return (
    <Link
      to={paths.outbox.href()}
      className="mt-4 flex min-h-12 items-center gap-3 rounded-control bg-base-100 px-4 text-body shadow-card"
    >
      <Icon
        icon={needsDecision > 0 ? CircleAlert : Clock}
        className={needsDecision > 0 ? 'text-error' : ''}
      />
      <span className="font-semibold">Outbox</span>
      <span className="ml-auto text-muted">{status}</span>
      <Icon icon={ChevronRight} size={16} />
    </Link>
  );
}
