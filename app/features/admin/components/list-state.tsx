import { CircleAlert, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useKeptFocus } from '#app/features/admin/hooks/use-kept-focus.ts';
import type { List } from '#app/features/admin/hooks/use-list.ts';
import { totalLabel } from '#app/features/admin/lib/admin-words.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/empty-state.tsx';
import { Icon } from '#app/ui/icon.tsx';
import type { AdminPagination } from '#shared/admin/schema.ts';
import { Pager } from './pager.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

type Props = {
  list: Pick<List<{ pagination: AdminPagination }>, 'phase' | 'data' | 'search' | 'reload' | 'turnTo'>;
  /** What is listed, as in "users". */
  things: string;
  failure: string;
  /** The rows. */
  children: ReactNode;
};

/** A paged list that loads, fails, is empty, or is there. Older rows stay, paler, while others are on their way. */
export function ListState({ list, things, failure, children }: Props) {
  const { phase, search } = list;
  const place = useKeptFocus();
  const pagination = list.data?.pagination ?? null;
  const isEmpty = phase !== 'error' && pagination?.total === 0;

  function turnTo(page: number) {
    list.turnTo(page);
    window.scrollTo({ top: 0 });
  }

  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      <p role="status" className="sr-only">
        {phase === 'success' &&
          pagination !== null &&
          `${totalLabel(pagination)} ${pagination.total === 1 ? things.replace(/s$/, '') : things}`}
      </p>
      {phase === 'error' && <ListFailure onRetry={list.reload}>{failure}</ListFailure>}
      {phase === 'loading' && pagination === null && <SkeletonRows />}
      {isEmpty && search !== '' && <EmptyState title={`Nothing found for “${search}”`} />}
      {isEmpty && search === '' && <EmptyState title={`No ${things} yet`} />}
      {phase !== 'error' && pagination !== null && pagination.total > 0 && (
        <div
          aria-busy={phase === 'loading'}
          className={`transition-opacity ${phase === 'loading' ? 'opacity-60' : ''}`}
        >
          {children}
          <Pager label={`Pages of ${things}`} pagination={pagination} onTurn={turnTo} />
        </div>
      )}
    </div>
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
