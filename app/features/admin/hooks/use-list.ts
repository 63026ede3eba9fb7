import { useCallback, useEffect, useState } from 'react';
import type { ListQuery } from '#app/features/admin/queries.ts';
import type { AdminPagination } from '#shared/admin/schema.ts';
import { useAnswer } from './use-answer.ts';

const SEARCH_DEBOUNCE_MS = 300;

export type List<Page extends { pagination: AdminPagination }> = ReturnType<typeof useList<Page>>;

/** A paged list, searched for what was `typed` once the typing rests; a new search begins at its first page. */
export function useList<Page extends { pagination: AdminPagination }>(
  fetchPage: (query: ListQuery, signal: AbortSignal) => Promise<Page>,
  typed = '',
) {
  const wanted = typed.trim();
  const [query, setQuery] = useState<ListQuery>({ page: 1, search: wanted });
  const ask = useCallback((signal: AbortSignal) => fetchPage(query, signal), [fetchPage, query]);
  const answer = useAnswer(ask);

  useEffect(() => {
    if (wanted === query.search) return;
    const timer = setTimeout(() => setQuery({ page: 1, search: wanted }), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, query.search]);

  // The last row of the last page may be gone.
  const pages = answer.data?.pagination.pages ?? null;
  const isPastEnd = answer.phase === 'ready' && pages !== null && query.page > Math.max(1, pages);
  useEffect(() => {
    if (isPastEnd && pages !== null) setQuery((before) => ({ ...before, page: Math.max(1, pages) }));
  }, [isPastEnd, pages]);

  return {
    ...answer,
    search: query.search,
    turnTo: (page: number) => setQuery((before) => ({ ...before, page })),
  };
}
