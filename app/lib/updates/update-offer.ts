import { atom } from 'jotai';
import { store } from '#app/lib/store.ts';

/**
 * A new version that can be had by a tap on `label`. It is brought once what is being sent has arrived; `isUnderWay`
 * from the tap on.
 */
export type Update = { label: 'Update' | 'Reload'; isUnderWay: boolean; bring(): void };

/** Null while there is no new version, or the person said "Later". */
export const updateAtom = atom<Update | null>(null);

/** Says that a new version is ready; `bring` is called once, by the tap. */
export function offerUpdate(label: Update['label'], bring: () => void): void {
  store.set(updateAtom, {
    label,
    isUnderWay: false,
    bring() {
      store.set(updateAtom, (update) =>
        update === null ? null : { ...update, isUnderWay: true, bring() {} },
      );
      bring();
    },
  });
}
