import { CircleAlert, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { List } from '#app/features/admin/hooks/use-list.ts';
import { totalLabel } from '#app/features/admin/lib/labels.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { EmptyState } from '#app/ui/feedback/empty-state.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Icon } from '#app/ui/icon.tsx';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import { Pager } from './pager.tsx';

type Props = {
  list: List;
  /** The plural noun for the items, such as "users". */
  itemsName: string;
  /** The message if the list cannot be fetched. */
  failure: string;
  /** The title of an empty list. */
  emptyTitle?: string;
  children: ReactNode;
};

/** A paged list: loading, failed, empty or loaded. While another page loads, the current rows remain visible but faded. */
export function ListState({ list, itemsName, failure, emptyTitle = `No ${itemsName} yet`, children }: Props) {
  const { phase, search, pagination } = list;
  const isEmpty = phase !== 'error' && pagination?.total === 0;

  function goToPage(page: number) {
    list.goToPage(page);
    window.scrollTo({ top: 0 });
  }

  return (
    <FocusFallback>
      <p role="status" className="sr-only">
        {phase === 'success' &&
          pagination !== null &&
          `${totalLabel(pagination)} ${pagination.total === 1 ? itemsName.replace(/s$/, '') : itemsName}`}
      </p>
      {phase === 'error' && <ListFailure onRetry={list.reload}>{failure}</ListFailure>}
      {phase === 'loading' && pagination === null && <SkeletonRows />}
      {isEmpty && search !== '' && <EmptyState title={`Nothing found for “${search}”`} />}
      {isEmpty && search === '' && <EmptyState title={emptyTitle} />}
      {phase !== 'error' && pagination !== null && pagination.total > 0 && (
        <div
          aria-busy={phase === 'loading'}
          className={`transition-opacity ${phase === 'loading' ? 'opacity-60' : ''}`}
        >
          {children}
          <Pager label={`Pages of ${itemsName}`} pagination={pagination} onPageChange={goToPage} />
        </div>
      )}
    </FocusFallback>
  );
}

export function ListFailure({ onRetry, children }: { onRetry(): void; children: ReactNode }) {
  return (
    <div role="alert" className="card flex flex-wrap items-center gap-3 p-4 text-body">
      <Icon icon={CircleAlert} className="text-error" />
      <p className="min-w-0 flex-1 font-semibold">{children}</p>
      <SecondaryButton onClick={onRetry}>
        <Icon icon={RefreshCw} size={16} />
        Try Again
      </SecondaryButton>
    </div>
  );
}

function SkeletonRows() {
  return (
    <div role="status" className="card px-4 py-2">
      <span className="sr-only">Loading</span>
      {Array.from({ length: ADMIN_PAGE_SIZE }, (_, index) => index).map((row) => (
        <div key={row} className="flex h-14 items-center gap-3">
          <span className="size-9 shrink-0 rounded-full bg-base-300" />
          <span className="h-3.5 w-full max-w-36 rounded-full bg-base-300" />
          <span className="ml-auto h-6 w-20 shrink-0 rounded-chip bg-base-300" />
        </div>
      ))}
    </div>
  );
}
