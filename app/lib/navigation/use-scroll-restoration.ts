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
    // After a page load the page is at its top already, and scrolling would force a synchronous layout.
    if (isBack && positions.size > 0) window.scrollTo(0, positions.get(key) ?? 0);
  }, [isReady, isBack, key]);

  // A layout effect, so that the listener is removed before a shorter next screen makes the browser scroll the page. A screen
  // without its content is ignored, because it can be shorter, too.
  useLayoutEffect(() => {
    const remember = () => {
      if (isRestored.current) positions.set(key, window.scrollY);
    };
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
