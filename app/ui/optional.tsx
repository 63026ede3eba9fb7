import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from 'react-error-boundary';

type Props = {
  /** Stands in its place while it loads. */
  waiting?: ReactNode;
  /** Stands in its place when it could not be loaded or drawn. */
  lost?: ReactNode;
  onLost?(): void;
  children: ReactNode;
};

/** A part with a chunk of its own that the screen can do without: losing it leaves the rest as it is. */
export function Optional({ waiting, lost = null, onLost = () => undefined, children }: Props) {
  return (
    <ErrorBoundary fallback={lost} onError={onLost}>
      <Suspense fallback={waiting}>{children}</Suspense>
    </ErrorBoundary>
  );
}
