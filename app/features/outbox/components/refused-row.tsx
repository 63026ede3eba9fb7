import { ChartNoAxesColumn, CircleAlert, Pencil, RotateCw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { discard, tryAgain } from '#app/features/outbox/actions.ts';
import { paths } from '#app/paths.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import type { RefusedAction } from '#sync/operations/operation.ts';
import { operationOf } from '#sync/operations/registry.ts';
import { OutboxRow } from './outbox-row.tsx';
import { reasonOf, verdictOf } from './outbox-words.ts';

type Props = { item: OutboxItem; pair: ReactNode; points: number | null; onEdit(opId: string): void };

/** A change that the server did not take: why, and what the person can do. */
export function RefusedRow({ item, pair, points, onEdit }: Props) {
  const { op } = item;
  const isGone = op.lastError?.code === 'not_found';
  const offered: readonly RefusedAction[] =
    op.state === 'rejected' ? operationOf(op).refusedActions : ['try_again'];
  return (
    <OutboxRow
      item={item}
      pair={pair}
      status={
        <span className="flex items-center gap-1.5 font-semibold text-error">
          <Icon of={CircleAlert} size={16} />
          {verdictOf(op)}
        </span>
      }
    >
      <p className="px-1 py-2.5 text-body">{reasonOf(item, points)}</p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        {offered.includes('see_results') && !isGone && (
          <Link
            to={paths.poll.href(op.entityId)}
            className="btn h-auto min-h-11 gap-2 border-0 bg-base-300 px-2 text-body"
          >
            <Icon of={ChartNoAxesColumn} size={16} className="max-xs:hidden" /> See results
          </Link>
        )}
        {offered.includes('edit') && <Action icon={Pencil} label="Edit" onClick={() => onEdit(op.opId)} />}
        {offered.includes('try_again') && (
          <Action icon={RotateCw} label="Try again" onClick={() => void tryAgain(op)} />
        )}
        <Action icon={Trash2} label="Discard" onClick={() => void discard(op)} />
      </div>
    </OutboxRow>
  );
}

function Action({ icon, label, onClick }: { icon: typeof Pencil; label: string; onClick(): void }) {
  return (
    <QuietButton onClick={onClick} className="px-2">
      <Icon of={icon} size={16} className="max-xs:hidden" /> {label}
    </QuietButton>
  );
}
