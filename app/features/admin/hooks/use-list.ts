import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from '#app/features/admin/lib/query-client.tsx';
import type { ListQuery, Page } from '#app/features/admin/queries.ts';

const SEARCH_DEBOUNCE_MS = 300;

export type FetchPage<Item> = (query: ListQuery, signal: AbortSignal) => Promise<Page<Item>>;
/** The part of a list that `ListState` uses. */
export type List = Omit<ReturnType<typeof useList>, 'items' | 'fetchedAtMs' | 'replace'>;

/** A paged list, cached as `name`, and filtered by `searchText`, whose changes are debounced. A new search starts at page 1. */
export function useList<Item extends { id: number | string }>(
  name: string,
  fetchPage: FetchPage<Item>,
  searchText = '',
) {
  const search = searchText.trim();
  const [query, setQuery] = useState<ListQuery>({ page: 1, search });
  const { data, status, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [name, query],
    async queryFn({ signal }) {
      const fetchedAtMs = performance.now();
      return { ...(await fetchPage(query, signal)), fetchedAtMs };
    },
    placeholderData: keepPreviousData,
  });

  useEffect(() => {
    if (search === query.search) return;
    const timer = setTimeout(() => setQuery({ page: 1, search }), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [search, query.search]);

  const phase = isFetching || isPlaceholderData || status === 'pending' ? 'loading' : status;
  // The current page no longer exists after its only row was deleted.
  const lastPage = Math.max(1, data?.pagination.pages ?? 1);
  if (phase === 'success' && query.page > lastPage) setQuery({ ...query, page: lastPage });

  return {
    phase,
    items: data?.items ?? [],
    /** When the fetch of the items began, by `performance.now()`; 0 until they are fetched. */
    fetchedAtMs: data?.fetchedAtMs ?? 0,
    pagination: data?.pagination ?? null,
    search: query.search,
    reload: () => void refetch(),
    /** Replaces a changed item in the cache. A running fetch, which may return the old item, is cancelled and sent again. */
    async replace(changed: Item) {
      const wasFetching = queryClient.isFetching({ queryKey: [name] }) > 0;
      await queryClient.cancelQueries({ queryKey: [name] });
      queryClient.setQueriesData<Page<Item>>(
        { queryKey: [name] },
        (page) =>
          page && { ...page, items: page.items.map((item) => (item.id === changed.id ? changed : item)) },
      );
      if (wasFetching) await queryClient.refetchQueries({ queryKey: [name], type: 'active' });
    },
    goToPage: (page: number) => setQuery({ ...query, page }),
  };
}
