import { useEffect, useState } from 'react';
import { fetchVotesByHour } from '#app/features/polls/lib/maker-calls.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import type { Poll, VotesByHour } from '#shared/polls/schema.ts';

/** The votes of one's own poll by hour, fetched again whenever its results change; null while they are unknown. */
export function useVotesByHour({ id, results }: Poll, userId: number) {
  const isReachable = useReachable();
  const [hours, setHours] = useState<VotesByHour['hours'] | null>(null);
  /** The results whose hours could not be fetched. */
  const [failedFor, setFailedFor] = useState<string | null>(null);
  const figures = `${results?.option1} ${results?.option2}`;
  useEffect(() => {
    if (!isReachable) return;
    const ended = new AbortController();
    fetchVotesByHour({ pollId: id, userId }, ended.signal).then(
      (fetched) => !ended.signal.aborted && setHours(fetched),
      () => !ended.signal.aborted && setFailedFor(figures),
    );
    return () => ended.abort();
  }, [id, userId, figures, isReachable]);
  return { hours, hasFailed: failedFor === figures };
}
