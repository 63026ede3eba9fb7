import { atom } from 'jotai';
import { store } from '#app/lib/store.ts';

/** A new version that the user can install with a button named `label`. */
export type Update = { label: 'Update' | 'Reload'; isInstalling: boolean; install(): void };

/** Null while there is no new version, and after "Later". */
export const updateAtom = atom<Update | null>(null);

/** Offers a new version; `install` is called at most once. */
export function offerUpdate(label: Update['label'], install: () => void): void {
  store.set(updateAtom, {
    label,
    isInstalling: false,
    install() {
      store.set(updateAtom, { label, isInstalling: true, install() {} });
      install();
    },
  });
}
