import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '#app/lib/api-error.ts';
import { isLostPart } from '#app/lib/faults/lost-part.ts';
import { useReachable } from '#app/lib/online.ts';

/** A connection that has just come back may lose the first request: asked again after this, so many times. */
const ASK_AGAIN_MS = 1_500;
const ASK_AGAIN_TIMES = 2;

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

/** What the server itself refuses stays refused, and browsers keep a part that got lost until the page is loaded anew. */
function canSucceedLater(error: unknown): boolean {
  return !(error instanceof ApiError) && !isLostPart(error);
}

/** A part that is of no use without the server, and not kept on the device: it comes as soon as it can. */
export function OnlinePart({ load, waiting, offline, failed }: Props) {
  const isReachable = useReachable();
  const [state, setState] = useState<State>({ phase: 'loading' });
  const isLoading = state.phase === 'loading';

  useEffect(() => {
    if (isReachable) setState((before) => (before.phase === 'failed' ? { phase: 'loading' } : before));
  }, [isReachable]);

  const askedAgain = useRef(0);
  const isWorthAsking = state.phase === 'failed' && canSucceedLater(state.error);
  useEffect(() => {
    if (!isReachable || !isWorthAsking || askedAgain.current === ASK_AGAIN_TIMES) return;
    const timer = setTimeout(() => {
      askedAgain.current += 1;
      setState({ phase: 'loading' });
    }, ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isReachable, isWorthAsking]);

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
  if (state.phase === 'failed') {
    const isPartLost = isLostPart(state.error);
    return failed(state.error, () => (isPartLost ? location.reload() : setState({ phase: 'loading' })));
  }
  return waiting;
}
