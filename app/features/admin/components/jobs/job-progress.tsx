import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { ProgressBar } from '#app/features/admin/components/progress-bar.tsx';
import { stopJob } from '#app/features/admin/lib/job-actions.ts';
import { JOB_NAMES, progressLabel } from '#app/features/admin/lib/job-messages.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import type { Job } from '#shared/admin/schema.ts';

type Props = { job: Job; note?: string };

/** The progress of a job, with a button to stop it. */
export function JobProgress({ job, note = 'Continues if you leave this page.' }: Props) {
  const id = useId();
  const { mutate: stop, isPending: isStopping } = useMutation({ mutationFn: () => stopJob(job) });
  const name = JOB_NAMES[job.kind];

  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-3 text-body">
        <span id={id} className="font-semibold">
          {name}
        </span>
        <span className="figures font-bold">{progressLabel(job)}</span>
      </p>
      <ProgressBar labelledBy={id} share={job.total === 0 ? null : job.done / job.total} />
      <div className="flex items-center justify-between gap-3">
        <p className="text-muted text-small">{job.state === 'queued' ? 'Waiting to start.' : note}</p>
        <SecondaryButton
          aria-label={`Stop: ${name}`}
          aria-disabled={isStopping}
          onClick={() => isStopping || stop()}
        >
          {isStopping ? 'Stopping…' : 'Stop'}
        </SecondaryButton>
      </div>
    </div>
  );
}
