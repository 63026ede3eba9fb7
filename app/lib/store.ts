import { getDefaultStore } from 'jotai';

/** The one store, so that code outside of components (the engine's events) can write atoms too. */
export const store = getDefaultStore();
