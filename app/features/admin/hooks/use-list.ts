import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from '#app/features/admin/lib/query-client.ts';
import type { ListQuery } from '#app/features/admin/queries.ts';
import type { AdminPagination } from '#shared/admin/schema.ts';

const SEARCH_DEBOUNCE_MS = 300;

export type List<Page extends { pagination: AdminPagination }> = ReturnType<typeof useList<Page>>;

/** A paged list, searched for what was `typed` once the typing rests; a new search begins at its first page. */
export function useList<Page extends { pagination: AdminPagination }>(
  name: string,
  fetchPage: (query: ListQuery, signal: AbortSignal) => Promise<Page>,
  typed = '',
) {
  const wanted = typed.trim();
  const [query, setQuery] = useState<ListQuery>({ page: 1, search: wanted });
  const { data, status, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [name, query],
    queryFn: ({ signal }) => fetchPage(query, signal),
    placeholderData: keepPreviousData,
  });

  useEffect(() => {
    if (wanted === query.search) return;
    const timer = setTimeout(() => setQuery({ page: 1, search: wanted }), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, query.search]);

  const phase = isFetching || isPlaceholderData || status === 'pending' ? 'loading' : status;
  // The last row of the last page may be gone.
  const lastPage = Math.max(1, data?.pagination.pages ?? 1);
  if (phase === 'success' && query.page > lastPage) setQuery({ ...query, page: lastPage });

  return {
    phase,
    data: data ?? null,
    search: query.search,
    reload: () => void refetch(),
    change(edit: (page: Page) => Page) {
      queryClient.setQueriesData<Page>({ queryKey: [name] }, (page) => page && edit(page));
    },
    turnTo: (page: number) => setQuery({ ...query, page }),
  };
}
