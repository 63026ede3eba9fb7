import { type StartDeps, startJob } from '#api/admin/jobs/start-job.ts';
import type { BulkForm } from './read-bulk-form.ts';
import type { BulkUploadInput } from './upload-polls.ts';

/**
 * Hands a received form over to a job, files and all. Returns the job's id. What was sent before is that job, and these
 * files are left alone. Throws `id_taken` when the id is that of another job.
 */
export function startBulkUpload(
  deps: StartDeps,
  { fields: { id, ...fields }, images }: BulkForm,
  adminId: number,
): Promise<string> {
  const input: BulkUploadInput = { ...fields, files: images.map(({ filename }) => filename) };
  const files = images.map(({ path }) => path);
  const total = files.length;
  return startJob(deps, { id: id?.toLowerCase(), kind: 'bulk-upload', adminId, input, total, files });
}
