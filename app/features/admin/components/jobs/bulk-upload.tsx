import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { type BulkPhase, bulkFilesAtom, bulkPhaseAtom } from '#app/features/admin/atoms.ts';
import { FocusFallback } from '#app/features/admin/components/focus-fallback.tsx';
import { Progress } from '#app/features/admin/components/progress.tsx';
import { useActiveJob, useJobs } from '#app/features/admin/hooks/use-jobs.ts';
import { adoptLostUpload, cancelBulk, clearFiles } from '#app/features/admin/lib/bulk-actions.ts';
import { isActive } from '#app/features/admin/lib/job-messages.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { BULK_DURATION_DEFAULT_DAYS, BULK_RESPONSES_DEFAULT } from '#shared/admin/constants.ts';
import type { BulkUploadFields } from '#shared/admin/schema.ts';
import { BulkForm } from './bulk-form.tsx';
import { JobProgress } from './job-progress.tsx';

const DEFAULTS = { duration: BULK_DURATION_DEFAULT_DAYS, responsesWanted: BULK_RESPONSES_DEFAULT };

/** Makes a poll of every two images. */
export function BulkUpload() {
  const [fields, setFields] = useState<BulkUploadFields>(DEFAULTS);
  const phase = useAtomValue(bulkPhaseAtom);
  const files = useAtomValue(bulkFilesAtom);
  const job = useActiveJob('bulk-upload');
  useUploadEnd();
  return (
    <Panel title="Bulk image upload">
      <FocusFallback>
        {(phase.phase === 'compressing' || phase.phase === 'uploading') && <BulkProgress phase={phase} />}
        {job !== null && (
          <JobProgress
            job={job}
            note="Continues if you leave this page. If you stop it, no polls are created."
          />
        )}
        {phase.phase === 'choosing' && job === null && (
          <BulkForm files={files} fields={fields} onFields={setFields} />
        )}
      </FocusFallback>
    </Panel>
  );
}

type ProgressProps = { phase: Extract<BulkPhase, { phase: 'compressing' | 'uploading' }> };

function BulkProgress({ phase }: ProgressProps) {
  const isCompressing = phase.phase === 'compressing';
  const share = isCompressing ? phase.done / phase.total : phase.share;
  return (
    <Progress
      name={isCompressing ? 'Shrinking large images' : 'Uploading'}
      label={isCompressing ? `${phase.done} of ${phase.total}` : `${Math.round(share * 100)}%`}
      share={share}
      note="Keep this page open until the upload is done."
    >
      <SecondaryButton onClick={cancelBulk}>Cancel</SecondaryButton>
    </Progress>
  );
}

/** Clears the chosen images when their job is done, and keeps them when it failed or was stopped. */
function useUploadEnd(): void {
  const phase = useAtomValue(bulkPhaseAtom);
  const jobs = useJobs();
  const job = phase.phase === 'processing' ? jobs?.find(({ id }) => id === phase.jobId) : undefined;
  useEffect(() => adoptLostUpload(jobs ?? []), [jobs]);
  const finalState = job === undefined || isActive(job) ? null : job.state;
  useEffect(() => {
    if (finalState === 'done') clearFiles();
    else if (finalState !== null) cancelBulk();
  }, [finalState]);
}
