import type { Job, JobKind } from '#shared/admin/schema.ts';
import { numberLabel } from './labels.ts';

type JobTexts = {
  name: string;
  /** The titles of the toasts that announce the end of a job. */
  doneTitle: string;
  failedTitle: string;
  /** The text of a failure without a message from the server. */
  failureText?: string;
};
export const JOB_TEXTS: Record<JobKind, JobTexts> = {
  'bulk-upload': {
    name: 'Bulk upload',
    doneTitle: 'Images uploaded',
    failedTitle: 'Upload failed',
    failureText: 'Failed to upload images',
  },
  'repair-images': {
    name: 'Image repair',
    doneTitle: 'Images checked',
    failedTitle: 'Image Repair Failed',
    failureText: 'Failed to repair images',
  },
  'generate-polls': {
    name: 'Sample polls',
    doneTitle: 'Polls generated',
    failedTitle: 'Failed to generate polls',
  },
};

/** Slightly less than the server's timeout for an upload, after which the browser only sees a lost connection. */
export const SLOW_UPLOAD_MS = 110_000;
export const SLOW_UPLOAD_MESSAGE =
  'That took too long. Try again with fewer images, or over a faster connection.';

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
