import { atom } from 'jotai';
import { BULK_DURATION_DEFAULT_DAYS, BULK_RESPONSES_DEFAULT } from '#shared/admin/constants.ts';
import type { BulkUploadFields } from '#shared/admin/schema.ts';

/** An image of a bulk upload. `thumbnailUrl` is an object URL; null until it is created, or if the image cannot be read. */
export type BulkFile = { id: number; file: File; thumbnailUrl: string | null };
export const bulkFilesAtom = atom<readonly BulkFile[]>([]);

export const BULK_FIELD_DEFAULTS: BulkUploadFields = {
  duration: BULK_DURATION_DEFAULT_DAYS,
  responsesWanted: BULK_RESPONSES_DEFAULT,
};
/** Duration and responses wanted of the polls of a bulk upload. */
export const bulkFieldsAtom = atom(BULK_FIELD_DEFAULTS);

/** The state of a bulk upload. `share` is the uploaded share of the bytes, from 0 to 1. */
export type BulkState =
  | { phase: 'choosing' }
  | { phase: 'compressing'; done: number; total: number }
  | { phase: 'uploading'; share: number }
  | { phase: 'processing'; jobId: string };
/** An upload whose images the server does not have yet. */
export type UploadingState = Extract<BulkState, { phase: 'compressing' | 'uploading' }>;
export const bulkStateAtom = atom<BulkState>({ phase: 'choosing' });
