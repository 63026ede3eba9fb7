import { useEffect, useState } from 'react';
import { isResponseExpected, RESPONSE_WAIT_MS } from '#app/features/polls/lib/card-state.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import type { QueuedOp } from '#sync/protocol/op.ts';

/** Whether to show `op` as waiting: after `RESPONSE_WAIT_MS` without a response, or as soon as none is expected. */
export function useIsWaiting(op: QueuedOp | null): boolean {
  const isOnline = useOnline();
  const [nowMs, setNowMs] = useState(() => Date.now());
  const opId = op?.opId ?? null;
  useEffect(() => {
    if (opId === null) return;
    const timer = setTimeout(() => setNowMs(Date.now()), RESPONSE_WAIT_MS);
    return () => clearTimeout(timer);
  }, [opId]);
  return op !== null && !isResponseExpected(op, nowMs, isOnline);
}
