import { CircleAlert, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { QuietButton } from '#app/ui/quiet-button.tsx';
import type { AdminPagination } from '#shared/admin/schema.ts';
import { totalLabel } from './admin-words.ts';
import { SkeletonRows } from './skeleton-rows.tsx';

type Props = {
  phase: 'loading' | 'ready' | 'failed';
  /** Null until something has been heard. */
  pagination: AdminPagination | null;
  search: string;
  /** What is listed, as in "users". */
  things: string;
  failure: string;
  onRetry(): void;
  children: ReactNode;
};

/** A list that loads, fails, is empty, or is there. Older rows stay, paler, while others are on their way. */
export function ListState({ phase, pagination, search, things, failure, onRetry, children }: Props) {
  const total = pagination?.total ?? null;
  const isEmpty = phase !== 'failed' && total === 0;
  return (
    <>
      <p role="status" className="sr-only">
        {phase === 'ready' && pagination !== null && `${totalLabel(pagination)} ${things}`}
      </p>
      {phase === 'failed' && <ListFailure onRetry={onRetry}>{failure}</ListFailure>}
      {phase === 'loading' && total === null && <SkeletonRows />}
      {isEmpty && search !== '' && <EmptyState title={`Nothing found for “${search}”`} />}
      {isEmpty && search === '' && <EmptyState title={`No ${things} yet`} />}
      {phase !== 'failed' && total !== null && total > 0 && (
        <div
          aria-busy={phase === 'loading'}
          className={`transition-opacity ${phase === 'loading' ? 'opacity-60' : ''}`}
        >
          {children}
        </div>
      )}
    </>
  );
}

export function ListFailure({ onRetry, children }: { onRetry(): void; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-card bg-base-100 p-4 text-body shadow-card"
    >
      <Icon of={CircleAlert} className="text-error" />
      <p className="min-w-0 flex-1 font-semibold">{children}</p>
      <QuietButton onClick={onRetry}>
        <Icon of={RefreshCw} size={16} />
        Try Again
      </QuietButton>
    </div>
  );
}
