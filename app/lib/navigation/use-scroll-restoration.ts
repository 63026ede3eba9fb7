import { useLayoutEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';

const positions = new Map<string, number>();

/** Restores the scroll position after going back, once the content of the screen is ready. */
export function useScrollRestoration(isReady: boolean): void {
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const isRestored = useRef(false);

  useLayoutEffect(() => {
    if (!isReady || isRestored.current) return;
    isRestored.current = true;
    // A page that was opened anew is at its top. Scrolling there would have the browser compute its layout at once.
    if (isBack && positions.size > 0) window.scrollTo(0, positions.get(key) ?? 0);
  }, [isReady, isBack, key]);

  // A layout effect, because the next screen may be shorter, which scrolls the page. So does a page without content.
  useLayoutEffect(() => {
    const remember = () => {
      if (isRestored.current) positions.set(key, window.scrollY);
    };
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
