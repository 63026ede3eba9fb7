import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { bulkStateAtom } from '#app/features/admin/atoms.ts';
import {
  cancelBulkUpload,
  clearFiles,
  settleUnconfirmedUploads,
} from '#app/features/admin/lib/bulk-actions.ts';
import { isActive } from '#app/features/admin/lib/job-messages.ts';
import { useJobs } from './use-jobs.ts';

/**
 * Follows the job of the bulk upload, in every section of the dashboard: clears the chosen images when it is done, keeps them if it
 * failed, was stopped, or is no longer listed. Settles uploads that are not confirmed.
 */
export function useUploadJob(): void {
  const bulkState = useAtomValue(bulkStateAtom);
  const jobs = useJobs();
  const job = bulkState.phase === 'processing' ? jobs?.find(({ id }) => id === bulkState.jobId) : undefined;
  const { phase } = bulkState;
  useEffect(() => settleUnconfirmedUploads(jobs ?? [], phase), [jobs, phase]);
  const finalState = job === undefined || isActive(job) ? null : job.state;
  // A job is in the cache before its phase begins. It is missing after the server's database was restored, or many newer jobs.
  const isMissing = phase === 'processing' && jobs !== undefined && job === undefined;
  useEffect(() => {
    if (finalState === 'done') clearFiles();
    // This only shows the form again, with its files: the job is over, or can no longer be followed.
    else if (finalState !== null || isMissing) cancelBulkUpload();
  }, [finalState, isMissing]);
}
