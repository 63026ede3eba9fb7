import { v7 as uuidv7 } from 'uuid';
import { startJob } from '#api/admin/jobs/start-job.ts';
import type { Deps } from '#api/deps.ts';
import type { BulkForm } from './read-bulk-form.ts';
import type { BulkUploadInput } from './upload-polls.ts';

/** Hands a received form over to a job, files and all. Returns the job's id. */
export async function startBulkUpload(
  deps: Pick<Deps, 'db' | 'jobs' | 'jobFiles'>,
  { fields, images }: BulkForm,
  adminId: number,
): Promise<string> {
  const id = uuidv7();
  const input: BulkUploadInput = { ...fields, files: images.map(({ filename }) => filename) };
  await deps.jobFiles.keep(
    id,
    images.map(({ path }) => path),
  );
  return startJob(deps, { id, kind: 'bulk-upload', adminId, input, total: images.length });
}
