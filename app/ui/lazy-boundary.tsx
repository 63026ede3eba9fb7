import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from 'react-error-boundary';

type Props = {
  /** Shown while it loads. */
  fallback?: ReactNode;
  /** Shown when it could not be loaded or rendered. */
  errorFallback?: ReactNode;
  onError?(): void;
  children: ReactNode;
};

/** For a lazily loaded component that the screen can do without: an error leaves the rest of the screen usable. */
export function LazyBoundary({ fallback, errorFallback = null, onError = () => undefined, children }: Props) {
  return (
    <ErrorBoundary fallback={errorFallback} onError={onError}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}
