import { getDefaultStore } from 'jotai';

/** The default store, for code outside of components. */
export const store = getDefaultStore();
