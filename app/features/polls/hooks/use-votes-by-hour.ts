import { useEffect, useState } from 'react';
import { request } from '#app/lib/api/api-client.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { useRetry } from '#app/lib/engine/use-retry.ts';
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
  const hasFailed = failedResultsKey === resultsKey;
  useRetry(hasFailed && isReachable, () => {
    setFailedResultsKey(null);
    setAttempt(attempt + 1);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` repeats a failed request
  useEffect(() => {
    if (!isReachable) return;
    const controller = new AbortController();
    const { signal } = controller;
    request(readVotesByHour, { params: { id }, userId, signal }).then(
      (response) => !signal.aborted && setHours(response.hours),
      () => !signal.aborted && setFailedResultsKey(resultsKey),
    );
    return () => controller.abort();
  }, [id, userId, resultsKey, isReachable, attempt]);
  return { hours, hasFailed };
}
