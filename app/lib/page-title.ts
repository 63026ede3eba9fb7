import { useEffect } from 'react';

const APP_NAME = 'This or That?';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
  }, [title]);
}
