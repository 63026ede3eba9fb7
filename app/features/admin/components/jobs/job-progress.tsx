import { useMutation } from '@tanstack/react-query';
import { Progress } from '#app/features/admin/components/progress.tsx';
import { stopJob } from '#app/features/admin/lib/job-actions.ts';
import { JOB_NAMES, progressLabel } from '#app/features/admin/lib/job-messages.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import type { Job } from '#shared/admin/schema.ts';

type Props = { job: Job; note?: string };

/** The progress of a job, with a button to stop it. */
export function JobProgress({ job, note = 'Continues if you leave this page.' }: Props) {
  const { mutate: stop, isPending: isStopping } = useMutation({ mutationFn: () => stopJob(job) });
  const name = JOB_NAMES[job.kind];
  return (
    <Progress
      name={name}
      label={progressLabel(job)}
      share={job.total === 0 ? null : job.done / job.total}
      note={job.state === 'queued' ? 'Waiting to start.' : note}
    >
      <SecondaryButton
        aria-label={`Stop: ${name}`}
        aria-disabled={isStopping}
        onClick={() => isStopping || stop()}
      >
        {isStopping ? 'Stopping…' : 'Stop'}
      </SecondaryButton>
    </Progress>
  );
}
