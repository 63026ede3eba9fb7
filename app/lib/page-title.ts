import { atom } from 'jotai';
import { useEffect } from 'react';
import { store } from './store.ts';

const APP_NAME = 'This or That?';

/** The title of the screen that is shown, for those who hear it; empty until a second one is. */
export const newPageTitleAtom = atom('');

let shown: string | null = null;

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
    // A browser reads out the first one by itself.
    if (shown !== null && shown !== title) store.set(newPageTitleAtom, title);
    shown = title;
  }, [title]);
}
