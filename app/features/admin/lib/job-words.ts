import type { Job, JobKind, JobState } from '#shared/admin/schema.ts';
import { numberLabel } from './admin-words.ts';

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

/** The title of what is said when one has failed, and the words for want of the server's own. */
export const FAILURES: Record<JobKind, { title: string; text: string | null }> = {
  'bulk-upload': { title: 'Upload failed', text: 'Failed to upload images' },
  'repair-images': { title: 'Image Repair Failed', text: 'Failed to repair images' },
  'generate-polls': { title: 'Failed to generate polls', text: null },
};

/** Just before the server gives up on an upload, which the browser tells like a connection that broke. */
export const SLOW_UPLOAD_MS = 110_000;
export const SLOW_UPLOAD = 'That took too long. Try again with fewer images, or over a faster connection.';

/** The title of what is said when one is done. */
export const ENDINGS: Record<JobKind, string> = {
  'bulk-upload': 'Images uploaded',
  'repair-images': 'Images checked',
  'generate-polls': 'Polls generated',
};

export function isUnderWay({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** "320 of 500"; what is not known yet is left out. */
export function progressLabel({ done, total }: Pick<Job, 'done' | 'total'>): string {
  return total === 0 ? '' : `${numberLabel(done)} of ${numberLabel(total)}`;
}

/** What is said of one kind of job does not put away what is said of another. */
export function topicOf(kind: JobKind): `admin ${JobKind}` {
  return `admin ${kind}`;
}
