import { atom } from 'jotai';

/** An image of a bulk upload. `thumbnailUrl` is an object URL; null until it is created, or if the image cannot be read. */
export type BulkFile = { id: number; file: File; thumbnailUrl: string | null };
export const bulkFilesAtom = atom<readonly BulkFile[]>([]);

/** The state of a bulk upload. `share` is the uploaded share of the bytes, from 0 to 1. */
export type BulkState =
  | { phase: 'choosing' }
  | { phase: 'compressing'; done: number; total: number }
  | { phase: 'uploading'; share: number }
  | { phase: 'processing'; jobId: string };
export const bulkStateAtom = atom<BulkState>({ phase: 'choosing' });
