import { useMutation } from '@tanstack/react-query';
import { stopJob } from '#app/features/admin/lib/job-actions.ts';
import { JOB_TEXTS, progressLabel } from '#app/features/admin/lib/job-messages.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Progress } from '#app/ui/feedback/progress.tsx';
import type { Job } from '#shared/admin/schema.ts';

type JobProgressProps = { job: Job; note?: string };

export function JobProgress({ job, note = 'Continues if you leave this page.' }: JobProgressProps) {
  const { mutate: stop, isPending: isStopping } = useMutation({ mutationFn: () => stopJob(job) });
  const { name } = JOB_TEXTS[job.kind];
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
