import { useEffect } from 'react';
import { refreshPoll } from '#app/features/polls/actions.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import type { PollView } from '#sync/operations/operation.ts';

/** An expired poll is fetched for its results; without a connection as soon as there is one again. */
export function useMissingResults({ poll, createOp }: PollView): void {
  const { id, status, results } = poll;
  const isReachable = useReachable();
  const lacksResults = status === 'expired' && results === null && createOp === null;
  useEffect(() => {
    if (lacksResults && isReachable) refreshPoll(id).catch(() => undefined);
  }, [lacksResults, isReachable, id]);
}
