import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { countEvent } from '#app/lib/analytics/count-event.ts';

/** Counts each screen that is opened, if that is configured; draws nothing. */
export function PageViews() {
  const { pathname } = useLocation();
  useEffect(() => {
    countEvent({ name: 'pageview', path: pathname });
  }, [pathname]);
  return null;
}
