import { useLayoutEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';

const savedPositions = new Map<string, number>();

/** Restores the scroll position after going back, once the content of the screen is ready. */
export function useScrollRestoration(isReady: boolean): void {
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const isRestored = useRef(false);

  useLayoutEffect(() => {
    if (!isReady || isRestored.current) return;
    isRestored.current = true;
    // After a page load the page is at its top already, and scrolling would force a synchronous layout.
    if (isBack && savedPositions.size > 0) window.scrollTo(0, savedPositions.get(key) ?? 0);
  }, [isReady, isBack, key]);

  // A layout effect, so that the listener is removed before a shorter next screen makes the browser scroll the page. Nothing is
  // saved until the content is ready, because a screen without its content can be shorter, too.
  useLayoutEffect(() => {
    const savePosition = () => {
      if (isRestored.current) savedPositions.set(key, window.scrollY);
    };
    window.addEventListener('scroll', savePosition, { passive: true });
    return () => window.removeEventListener('scroll', savePosition);
  }, [key]);
}
