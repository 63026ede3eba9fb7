import { ChartNoAxesColumn, CircleAlert, Pencil, RotateCw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { discard, tryAgain } from '#app/features/outbox/actions.ts';
import { paths } from '#app/paths.ts';
import { SecondaryButton, SecondaryLink } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { OutboxItem } from '#sync/client/cache/reads.ts';
import type { RefusedAction } from '#sync/operations/operation.ts';
import { operationOf } from '#sync/operations/registry.ts';
import { refusalReason, refusalTitle } from './outbox-messages.ts';
import { OutboxRow } from './outbox-row.tsx';

type Props = { item: OutboxItem; thumbnail: ReactNode; points: number | null; onEdit(opId: string): void };

export function RefusedRow({ item, thumbnail, points, onEdit }: Props) {
  const { op } = item;
  const isPollGone = op.lastError?.code === 'not_found';
  const actions: readonly RefusedAction[] =
    op.state === 'rejected' ? operationOf(op).refusedActions : ['try_again'];
  return (
    <OutboxRow
      item={item}
      thumbnail={thumbnail}
      status={
        <span className="flex items-center gap-1.5 font-semibold text-error">
          <Icon icon={CircleAlert} size={16} />
          {refusalTitle(op)}
        </span>
      }
    >
      <p className="px-1 py-2.5 text-body">{refusalReason(item, points)}</p>
      <div className="flex flex-wrap gap-1.5 *:flex-1">
        {actions.includes('see_results') && !isPollGone && (
          <SecondaryLink to={paths.poll.href(op.entityId)} className="px-2">
            <Icon icon={ChartNoAxesColumn} size={16} className="max-xs:hidden" /> See results
          </SecondaryLink>
        )}
        {actions.includes('edit') && <Action icon={Pencil} label="Edit" onClick={() => onEdit(op.opId)} />}
        {actions.includes('try_again') && (
          <Action icon={RotateCw} label="Try again" onClick={() => void tryAgain(op)} />
        )}
        <Action icon={Trash2} label="Discard" onClick={() => void discard(op)} />
      </div>
    </OutboxRow>
  );
}

function Action({ icon, label, onClick }: { icon: typeof Pencil; label: string; onClick(): void }) {
  return (
    <SecondaryButton onClick={onClick} className="px-2">
      <Icon icon={icon} size={16} className="max-xs:hidden" /> {label}
    </SecondaryButton>
  );
}
