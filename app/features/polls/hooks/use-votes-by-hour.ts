import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { ApiError } from '#app/lib/api/api-error.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { readVotesByHour } from '#shared/polls/contract.ts';
import type { Poll, VotesByHour } from '#shared/polls/schema.ts';

/** The votes of the user's own poll by hour; null until they are fetched. Fetches them again whenever the results change. */
export function useVotesByHour({ id, results }: Poll, userId: number) {
  const isReachable = useReachable();
  const [hours, setHours] = useState<VotesByHour['hours'] | null>(null);
  /** The results for which the fetch failed. */
  const [failedResultsKey, setFailedResultsKey] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const resultsKey = `${results?.option1} ${results?.option2}`;
  useEffect(() => {
    if (!isReachable) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer = 0;
    request(readVotesByHour, { params: { id }, userId, signal }).then(
      (response) => {
        if (signal.aborted) return;
        setHours(response.hours);
        setFailedResultsKey(null);
      },
      (error) => {
        if (signal.aborted) return;
        setFailedResultsKey(resultsKey);
        const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (isRefused) return;
        timer = window.setTimeout(() => setAttempt(attempt + 1), HEALTH_INTERVAL_MS);
      },
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [id, userId, resultsKey, isReachable, attempt]);
  return { hours, hasFailed: failedResultsKey === resultsKey };
}
