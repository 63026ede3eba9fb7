import { useAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { type SearchResults, searchResultsAtom } from '#app/features/explore/atoms.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import type { SearchPage } from '#shared/explore/schema.ts';
import type { PullResult, SearchQuery } from '#sync/client/cache/pull.ts';

/** How long results are shown again without a new search when the user returns to them. */
const RESULTS_FRESH_MS = 5 * 60_000;

async function search(query: SearchQuery): Promise<SearchPage | PullResult> {
  return (await loadEngine()).search(query).catch((): PullResult => 'failed');
}

/**
 * Searches for polls whenever the text, the order or the user changes. Until the search is done, `results` are those of the
 * previous search. `searchAgain` repeats it. `loadMore` appends the next page; it resolves to false if that failed.
 */
export function useSearch({ q, sort }: Pick<SearchResults, 'q' | 'sort'>) {
  const userDb = useUserDb();
  const isReachable = useReachable();
  const [lastResults, setLastResults] = useAtom(searchResultsAtom);
  /** The results if they are too old to be shown again, or of unknown age because the clock was set back since. */
  const [oldResults] = useState(() =>
    lastResults !== null && Math.abs(Date.now() - lastResults.loadedAtMs) > RESULTS_FRESH_MS
      ? lastResults
      : null,
  );
  /** Whether a search whose results are loaded is being repeated. */
  const [isRepeating, setRepeating] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<{ q: string; sort: string; result: PullResult } | null>(null);
  const results = lastResults?.userDb === userDb && lastResults !== oldResults ? lastResults : null;
  const isDone = results?.q === q && results.sort === sort && !(isRepeating && isReachable);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `isReachable` and `attempt` trigger a retry
  useEffect(() => {
    if (isDone || userDb === null) return;
    let isCancelled = false;
    let timer = 0;
    void search({ q, sort, cursor: null }).then((result) => {
      if (isCancelled) return;
      if (typeof result !== 'string') {
        setFailure(null);
        setRepeating(false);
        const { data: polls, total = polls.length, hasMoreThanTotal = false, nextCursor } = result;
        setLastResults({
          userDb,
          loadedAtMs: Date.now(),
          q,
          sort,
          polls,
          total,
          hasMoreThanTotal,
          nextCursor,
        });
        return;
      }
      setFailure({ q, sort, result });
      // After a failed repetition the previous results are shown again.
      setRepeating(false);
      if (result === 'unreachable')
        timer = window.setTimeout(() => setAttempt(attempt + 1), HEALTH_INTERVAL_MS);
    });
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [isDone, userDb, q, sort, setLastResults, isReachable, attempt]);

  const loadMore = useCallback(async () => {
    if (results === null || results.nextCursor === null) return true;
    const result = await search({ q: results.q, sort: results.sort, cursor: results.nextCursor });
    if (typeof result === 'string') return false;
    const loadedIds = new Set(results.polls.map(({ id }) => id));
    // A poll may have moved to this page after the previous page was read.
    const polls = [...results.polls, ...result.data.filter(({ id }) => !loadedIds.has(id))];
    setLastResults((current) =>
      current === results ? { ...results, polls, nextCursor: result.nextCursor } : current,
    );
    return true;
  }, [results, setLastResults]);

  const failedResult = failure?.q === q && failure.sort === sort ? failure.result : null;
  const isOffline = !isReachable || failedResult === 'unreachable';
  const state = isDone ? 'done' : isOffline ? 'offline' : failedResult === null ? 'loading' : 'failed';
  return {
    state,
    results,
    loadMore,
    searchAgain() {
      if (state === 'loading') return;
      setFailure(null);
      // Offline, the results remain on the screen.
      if (isReachable) setRepeating(true);
      setAttempt(attempt + 1);
    },
  } as const;
}
