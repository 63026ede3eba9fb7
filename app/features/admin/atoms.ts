import { atom } from 'jotai';
import type { Job } from '#shared/admin/schema.ts';

/** The server's long work of late, newest first; empty until the server has told. */
export const jobsAtom = atom<readonly Job[]>([]);
export const areJobsKnownAtom = atom(false);

/** Counts the jobs that have ended before one's eyes: what they may have changed is asked for again. */
export const endedJobsAtom = atom(0);

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
