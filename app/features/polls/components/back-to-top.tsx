import { ArrowUp } from 'lucide-react';
import { memo } from 'react';
import { createPortal } from 'react-dom';
import { prefersReducedMotion } from '#app/lib/browser/media.ts';
import { fromEvents, useObservable } from '#app/lib/engine/use-observable.ts';
import { HEADER_ACTION_ID } from '#app/lib/navigation/header-action.ts';
import { IconButton } from '#app/ui/button.tsx';

const SHOWN_AFTER_PX = 500;

const isScrolledDown = fromEvents(window, ['scroll'], () => window.scrollY > SHOWN_AFTER_PX);

/** A button that scrolls to the top. It is in the header, because anywhere else it would cover part of a card. */
export const BackToTop = memo(function BackToTop() {
  const isShown = useObservable(isScrolledDown);
  const container = isShown ? document.getElementById(HEADER_ACTION_ID) : null;
  if (container === null) return null;
  return createPortal(
    <IconButton
      icon={ArrowUp}
      label="Back to top"
      onClick={() => window.scrollTo({ top: 0, behavior: prefersReducedMotion() ? 'auto' : 'smooth' })}
    />,
    container,
  );
});
