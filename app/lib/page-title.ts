import { useEffect } from 'react';

const APP_NAME = 'This or That?';

/** Names the page, and with it the content that has the focus after a change of screens, so that it is read out. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
    document.getElementById('main')?.setAttribute('aria-label', title);
  }, [title]);
}
