import { atom } from 'jotai';

/** A picture of a bulk upload. `thumb` is an object URL: null until it is drawn, and when it cannot be. */
export type BulkFile = { id: number; file: File; thumb: string | null };
export const bulkFilesAtom = atom<readonly BulkFile[]>([]);

/** How far a bulk upload is; `share` from 0 to 1. */
export type BulkPhase =
  | { phase: 'choosing' }
  | { phase: 'shrinking'; done: number; total: number }
  | { phase: 'uploading'; share: number }
  | { phase: 'working'; jobId: string };
export const bulkPhaseAtom = atom<BulkPhase>({ phase: 'choosing' });
