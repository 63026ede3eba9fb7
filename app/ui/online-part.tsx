import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { codeOf } from '#app/lib/api/api-error.ts';
import { useReachable } from '#app/lib/engine/online.ts';
import { isLostPart } from '#app/lib/faults/lost-part.ts';

/** A connection that has just come back may lose the first request: asked again after this, so many times. */
const ASK_AGAIN_MS = 1_500;
const ASK_AGAIN_TIMES = 2;

type Props = {
  /** Brings the part; asked again when it failed and the connection is back. Always the same function. */
  load(): Promise<ComponentType>;
  waiting: ReactNode;
  /** Stands in its place while there is no connection. */
  offline: ReactNode;
  failed(error: unknown, tryAgain: () => void): ReactNode;
};

/** A part that is of no use without the server, and not kept on the device: it comes as soon as it can. */
export function OnlinePart(props: Props) {
  const isReachable = useReachable();
  const [Part, setPart] = useState<ComponentType | null>(null);
  if (Part !== null) return <Part />;
  return isReachable ? <Asking {...props} onLoad={(Loaded) => setPart(() => Loaded)} /> : props.offline;
}

type AskingProps = Omit<Props, 'offline'> & { onLoad(Part: ComponentType): void };

/** Begins anew whenever there is a connection again. */
function Asking({ load, waiting, failed, onLoad }: AskingProps) {
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  const askedAgain = useRef(0);
  const onLoaded = useEffectEvent(onLoad);

  useEffect(() => {
    if (failure !== null) {
      // What the server refuses stays refused, and a part that got lost is so until the page is loaded anew.
      if (codeOf(failure.error) !== 'unreachable' || askedAgain.current === ASK_AGAIN_TIMES) return;
      const timer = setTimeout(() => {
        askedAgain.current += 1;
        setFailure(null);
      }, ASK_AGAIN_MS);
      return () => clearTimeout(timer);
    }
    let isGone = false;
    load().then(
      (Part) => !isGone && onLoaded(Part),
      (error: unknown) => !isGone && setFailure({ error }),
    );
    return () => {
      isGone = true;
    };
  }, [load, failure]);

  if (failure === null) return waiting;
  const isPartLost = isLostPart(failure.error);
  return failed(failure.error, () => (isPartLost ? location.reload() : setFailure(null)));
}
