import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { endedJobsAtom } from '#app/features/admin/atoms.ts';
import { useReachable } from '#app/lib/online.ts';

type Ask<Shape> = (signal: AbortSignal) => Promise<Shape>;
type Heard<Shape> = { phase: 'ready' | 'failed'; data: Shape | null; ask: Ask<Shape>; round: number };

/**
 * What the server answers to `ask` (always the same function for the same question), asked again by `reload`, after a
 * job has ended, and when the connection is back; each time once more after `againAfterMs`, where that is given. An
 * older question is given up; what was heard before stays meanwhile.
 */
export function useAnswer<Shape>(ask: Ask<Shape>, againAfterMs: number | null = null) {
  const [heard, setHeard] = useState<Heard<Shape> | null>(null);
  const [reloads, setReloads] = useState(0);
  const isReachable = useReachable();
  const round = useAtomValue(endedJobsAtom) + reloads;

  useEffect(() => {
    if (!isReachable) return;
    const asking = new AbortController();
    const hear = (data: Shape) => setHeard({ phase: 'ready', data, ask, round });
    const askAgain = () => ask(asking.signal).then(hear, () => undefined);
    const timer = againAfterMs === null ? undefined : setTimeout(askAgain, againAfterMs);
    ask(asking.signal).then(hear, () => {
      if (asking.signal.aborted) return;
      setHeard((before) => ({ phase: 'failed', data: before?.data ?? null, ask, round }));
    });
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [ask, againAfterMs, isReachable, round]);

  const isCurrent = heard !== null && heard.ask === ask && heard.round === round;
  const phase: 'loading' | 'ready' | 'failed' = isCurrent ? heard.phase : 'loading';
  const reload = useCallback(() => setReloads((count) => count + 1), []);
  const change = useCallback(
    (edit: (data: Shape) => Shape) =>
      setHeard((before) => before && { ...before, data: before.data && edit(before.data) }),
    [],
  );
  return { phase, data: heard?.data ?? null, reload, change };
}
