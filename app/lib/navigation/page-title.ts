import { useEffect } from 'react';

const APP_NAME = 'This or That?';

/** Sets the page title, and the label of the main content, which screen readers announce after a navigation. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
    document.getElementById('main')?.setAttribute('aria-label', title);
  }, [title]);
}
