import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useReachable } from '#app/lib/reachable.ts';

type State =
  | { phase: 'loading' }
  | { phase: 'ready'; Part: ComponentType }
  | { phase: 'failed'; error: unknown };

type Props = {
  /** Brings the part; asked again when it failed and the connection is back. Always the same function. */
  load(): Promise<ComponentType>;
  waiting: ReactNode;
  /** Stands in its place while there is no connection. */
  offline: ReactNode;
  failed(error: unknown, tryAgain: () => void): ReactNode;
};

/** A part that is of no use without the server, and not kept on the device: it comes as soon as it can. */
export function OnlinePart({ load, waiting, offline, failed }: Props) {
  const isReachable = useReachable();
  const [state, setState] = useState<State>({ phase: 'loading' });
  const isLoading = state.phase === 'loading';

  useEffect(() => {
    if (isReachable) setState((before) => (before.phase === 'failed' ? { phase: 'loading' } : before));
  }, [isReachable]);

  useEffect(() => {
    if (!isReachable || !isLoading) return;
    let isGone = false;
    load().then(
      (Part) => !isGone && setState({ phase: 'ready', Part }),
      (error: unknown) => !isGone && setState({ phase: 'failed', error }),
    );
    return () => {
      isGone = true;
    };
  }, [load, isReachable, isLoading]);

  if (state.phase === 'ready') return <state.Part />;
  if (!isReachable) return offline;
  if (state.phase === 'failed') return failed(state.error, () => setState({ phase: 'loading' }));
  return waiting;
}
