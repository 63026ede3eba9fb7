import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { bulkFilesAtom, bulkPhaseAtom } from '#app/features/admin/atoms.ts';
import { useJobs, useJobUnderWay } from '#app/features/admin/hooks/use-jobs.ts';
import { useKeptFocus } from '#app/features/admin/hooks/use-kept-focus.ts';
import { cancelBulk, clearFiles, followSent } from '#app/features/admin/lib/bulk-actions.ts';
import { isUnderWay } from '#app/features/admin/lib/job-words.ts';
import { Panel } from '#app/ui/panel.tsx';
import { BULK_DURATION_DEFAULT_DAYS, BULK_RESPONSES_DEFAULT } from '#shared/admin/constants.ts';
import type { BulkUploadFields } from '#shared/admin/schema.ts';
import { BulkForm } from './bulk-form.tsx';
import { BulkProgress } from './bulk-progress.tsx';
import { JobProgress } from './job-progress.tsx';

const DEFAULTS = { duration: BULK_DURATION_DEFAULT_DAYS, responsesWanted: BULK_RESPONSES_DEFAULT };

/** Many pictures at once, of which each two become a poll. */
export function BulkUpload() {
  const [fields, setFields] = useState<BulkUploadFields>(DEFAULTS);
  const phase = useAtomValue(bulkPhaseAtom);
  const files = useAtomValue(bulkFilesAtom);
  const job = useJobUnderWay('bulk-upload');
  const place = useKeptFocus();
  useEndOfUpload();
  return (
    <Panel title="Bulk image upload">
      <div ref={place} tabIndex={-1} className="outline-none">
        {(phase.phase === 'shrinking' || phase.phase === 'uploading') && <BulkProgress phase={phase} />}
        {job !== null && (
          <JobProgress
            job={job}
            note="Goes on when you leave this page. Stopped, it leaves nothing behind."
          />
        )}
        {phase.phase === 'choosing' && job === null && (
          <BulkForm files={files} fields={fields} onFields={setFields} />
        )}
      </div>
    </Panel>
  );
}

/** Done: nothing is left to choose. Failed or stopped: everything still is. */
function useEndOfUpload(): void {
  const phase = useAtomValue(bulkPhaseAtom);
  const jobs = useJobs();
  const job = phase.phase === 'working' ? jobs?.find(({ id }) => id === phase.jobId) : undefined;
  useEffect(() => followSent(jobs ?? []), [jobs]);
  const end = job === undefined || isUnderWay(job) ? null : job.state;
  useEffect(() => {
    if (end === 'done') clearFiles();
    else if (end !== null) cancelBulk();
  }, [end]);
}
