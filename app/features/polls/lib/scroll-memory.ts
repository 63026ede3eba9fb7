import { useLayoutEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';

const places = new Map<string, number>();

/** Goes back to where a page was scrolled to, once its content is there; a page opened anew starts at its top. */
export function useRestoredScroll(isReady: boolean): void {
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop;
  const done = useRef(false);

  useLayoutEffect(() => {
    if (!isReady || done.current) return;
    done.current = true;
    if (isBack) window.scrollTo(0, places.get(key) ?? 0);
  }, [isReady, isBack, key]);

  // Gone before the page becomes shorter by the next screen: that scrolls it, too. So does a page that is still empty.
  useLayoutEffect(() => {
    const remember = () => {
      if (done.current) places.set(key, window.scrollY);
    };
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
