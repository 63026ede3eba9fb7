import type { Job, JobKind } from '#shared/admin/schema.ts';
import { numberLabel } from './labels.ts';

type JobTexts = { name: string; done: string; failed: string; reason?: string };

/** `done` and `failed` are titles of toasts; `reason` is the text of a failure for which the server sent no message. */
export const JOB_TEXTS: Record<JobKind, JobTexts> = {
  'bulk-upload': {
    name: 'Bulk upload',
    done: 'Images uploaded',
    failed: 'Upload failed',
    reason: 'Failed to upload images',
  },
  'repair-images': {
    name: 'Image repair',
    done: 'Images checked',
    failed: 'Image Repair Failed',
    reason: 'Failed to repair images',
  },
  'generate-polls': { name: 'Sample polls', done: 'Polls generated', failed: 'Failed to generate polls' },
};

/** Slightly less than the server's time limit for an upload. At that limit, the browser sees only a lost connection. */
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
