import { useAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { type Found, foundAtom } from '#app/features/explore/atoms.ts';
import { loadEngine } from '#app/lib/engine/engine.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import type { SearchPage } from '#shared/explore/schema.ts';
import type { PullResult, SearchQuery } from '#sync/client/cache/pull.ts';

/** So long what was found stands in for what would be found now, when one comes back to it. */
const FOUND_KEPT_MS = 5 * 60_000;

async function search(query: SearchQuery): Promise<SearchPage | PullResult> {
  return (await loadEngine()).search(query).catch((): PullResult => 'failed');
}

/**
 * Searches for polls whenever the search or its user changes. `found` is of an earlier search until this one is through.
 * `loadMore` appends the next page and resolves to whether it has.
 */
export function useSearch({ q, sort }: Pick<Found, 'q' | 'sort'>) {
  const owner = useUserDb();
  const reachable = useReachable();
  const [kept, setKept] = useAtom(foundAtom);
  const [openedAtMs] = useState(() => Date.now());
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<{ q: string; sort: string; result: PullResult } | null>(null);
  const isFresh = kept?.owner === owner && kept.atMs > openedAtMs - FOUND_KEPT_MS;
  const found = isFresh ? kept : null;
  const isDone = found?.q === q && found.sort === sort;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the search is tried again when these change
  useEffect(() => {
    if (isDone || owner === null) return;
    let isOver = false;
    let timer = 0;
    void search({ q, sort, cursor: null }).then((result) => {
      if (isOver) return;
      if (typeof result !== 'string') {
        const { data: polls, total = polls.length, hasMoreThanTotal = false, nextCursor } = result;
        setKept({ owner, atMs: Date.now(), q, sort, polls, total, hasMoreThanTotal, nextCursor });
        return;
      }
      setFailure({ q, sort, result });
      if (result === 'unreachable')
        timer = window.setTimeout(() => setAttempt(attempt + 1), HEALTH_INTERVAL_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isDone, owner, q, sort, setKept, reachable, attempt]);

  const loadMore = useCallback(async () => {
    if (found === null || found.nextCursor === null) return true;
    const result = await search({ q: found.q, sort: found.sort, cursor: found.nextCursor });
    if (typeof result === 'string') return false;
    const known = new Set(found.polls.map(({ id }) => id));
    // A poll may have moved to this page since the one before was read.
    const polls = [...found.polls, ...result.data.filter(({ id }) => !known.has(id))];
    setKept((now) => (now === found ? { ...found, polls, nextCursor: result.nextCursor } : now));
    return true;
  }, [found, setKept]);

  const failed = failure?.q === q && failure.sort === sort ? failure.result : null;
  const isOffline = !reachable || failed === 'unreachable';
  const state = isDone ? 'done' : isOffline ? 'offline' : failed === null ? 'loading' : 'failed';
  return {
    state,
    found,
    loadMore,
    tryAgain() {
      setFailure(null);
      setAttempt(attempt + 1);
    },
  } as const;
}
