import { type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { ErrorBoundary } from 'react-error-boundary';

type Props = {
  fallback?: ReactNode;
  /** Shown when the component could not be loaded or rendered. */
  errorFallback?: ReactNode;
  onError?(error: unknown): void;
  children: ReactNode;
};

const subscribeToNothing = () => () => undefined;

/** True in prerendered pages, and until hydration has finished. */
export function useIsPrerendered(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => false,
    () => true,
  );
}

/** For a lazily loaded component: an error leaves the rest of the screen usable. Prerendered pages contain the fallback. */
export function LazyBoundary({ fallback, errorFallback = null, onError = () => undefined, children }: Props) {
  if (useIsPrerendered()) return fallback;
  return (
    <ErrorBoundary fallback={errorFallback} onError={onError}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}
