import { useId, useState } from 'react';
import { ProgressBar } from '#app/features/admin/components/progress-bar.tsx';
import { stopJob } from '#app/features/admin/lib/job-actions.ts';
import { JOB_NAMES, progressLabel } from '#app/features/admin/lib/job-words.ts';
import { QuietButton } from '#app/ui/quiet-button.tsx';
import type { Job } from '#shared/admin/schema.ts';

type Props = { job: Job; note?: string };

/** How far a job is, and the way to stop it. */
export function JobProgress({ job, note = 'Goes on when you leave this page.' }: Props) {
  const id = useId();
  const [isStopping, setStopping] = useState(false);
  const name = JOB_NAMES[job.kind];

  async function stop() {
    if (isStopping) return;
    setStopping(true);
    await stopJob(job);
    setStopping(false);
  }

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
        <p className="text-muted text-small">{job.state === 'queued' ? 'Waits for its turn.' : note}</p>
        <QuietButton aria-label={`Stop: ${name}`} aria-disabled={isStopping} onClick={() => void stop()}>
          {isStopping ? 'Stopping…' : 'Stop'}
        </QuietButton>
      </div>
    </div>
  );
}
