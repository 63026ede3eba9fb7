import { useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { Link, useLocation } from 'react-router-dom';
import { faultsPutAwayAtom } from '#app/lib/faults/faults.ts';
import { isLostPart } from '#app/lib/faults/lost-part.ts';
import { paths } from '#app/paths.ts';
import { Key, QuietButton } from '#app/ui/button.tsx';

/** A screen that breaks leaves the rest usable; going elsewhere, or putting the fault away, draws it again. */
export function ScreenBoundary({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const putAway = useAtomValue(faultsPutAwayAtom);
  return (
    <ErrorBoundary FallbackComponent={ScreenError} resetKeys={[pathname, putAway]}>
      {children}
    </ErrorBoundary>
  );
}

/** Stands in the place of a screen that could not be drawn, or of which a part could not be loaded. */
function ScreenError({ error, resetErrorBoundary }: FallbackProps) {
  return (
    <section role="alert" className="mx-auto grid max-w-80 gap-3 pt-20 text-center">
      <h1 className="text-title">Something broke here</h1>
      <p className="pb-2 text-field text-muted">Your votes and drafts are safe.</p>
      <Key onClick={() => (isLostPart(error) ? location.reload() : resetErrorBoundary())}>Try Again</Key>
      <QuietButton onClick={() => location.reload()}>Reload Now</QuietButton>
      <Link to={paths.root.href()} className="py-3 font-semibold text-body underline">
        Return to the app
      </Link>
    </section>
  );
}
