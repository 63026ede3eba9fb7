import type { Job, JobKind, JobState } from '#shared/admin/schema.ts';
import { numberLabel } from './labels.ts';

export const JOB_NAMES: Record<JobKind, string> = {
  'bulk-upload': 'Bulk upload',
  'repair-images': 'Image repair',
  'generate-polls': 'Sample polls',
};

export const STATE_NAMES: Record<JobState, string> = {
  queued: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
};

/** What is shown when a job has failed; `text` for want of a message from the server. */
export const FAILURES: Record<JobKind, { title: string; text: string | null }> = {
  'bulk-upload': { title: 'Upload failed', text: 'Failed to upload images' },
  'repair-images': { title: 'Image Repair Failed', text: 'Failed to repair images' },
  'generate-polls': { title: 'Failed to generate polls', text: null },
};

/** Slightly less than the server's own limit for an upload, which looks like a lost connection to the browser. */
export const SLOW_UPLOAD_MS = 110_000;
export const SLOW_UPLOAD_MESSAGE =
  'That took too long. Try again with fewer images, or over a faster connection.';

export const DONE_TITLES: Record<JobKind, string> = {
  'bulk-upload': 'Images uploaded',
  'repair-images': 'Images checked',
  'generate-polls': 'Polls generated',
};

export function isActive({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** "320 of 500"; empty while the total is unknown. */
export function progressLabel({ done, total }: Pick<Job, 'done' | 'total'>): string {
  return total === 0 ? '' : `${numberLabel(done)} of ${numberLabel(total)}`;
}

/** The toast topic of a kind of job: a new toast replaces only those about the same kind. */
export function topicOf(kind: JobKind): `admin ${JobKind}` {
  return `admin ${kind}`;
}
