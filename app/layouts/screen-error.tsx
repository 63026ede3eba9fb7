import type { FallbackProps } from 'react-error-boundary';
import { Link } from 'react-router-dom';
import { useResetAfterFault } from '#app/lib/faults/fault-reset.ts';
import { isLostPart } from '#app/lib/faults/lost-part.ts';
import { paths } from '#app/paths.ts';
import { Key } from '#app/ui/key.tsx';
import { QuietButton } from '#app/ui/quiet-button.tsx';

/** Stands in the place of a screen that could not be drawn, or of which a part could not be loaded. */
export function ScreenError({ error, resetErrorBoundary }: FallbackProps) {
  useResetAfterFault(resetErrorBoundary);
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
