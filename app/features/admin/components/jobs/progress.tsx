import { useMutation } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useId } from 'react';
import { stopJob } from '#app/features/admin/lib/job-actions.ts';
import { JOB_TEXTS, progressLabel } from '#app/features/admin/lib/job-messages.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import type { Job } from '#shared/admin/schema.ts';

type Props = {
  name: string;
  /** The progress as text, such as "3 of 10". */
  label: string;
  /** From 0 to 1; null while it is not known. */
  share: number | null;
  note: string;
  /** The button that ends it. */
  children: ReactNode;
};

export function Progress({ name, label, share, note, children }: Props) {
  const id = useId();
  return (
    <div className="grid gap-2">
      <p className="flex justify-between gap-3 text-body">
        <span id={id} className="font-semibold">
          {name}
        </span>
        <span className="figures font-bold">{label}</span>
      </p>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        className="h-2.5 overflow-hidden rounded-full bg-base-300"
      >
        <div
          className="h-full w-full origin-left scale-x-(--share) bg-neutral transition-transform"
          style={{ '--share': share ?? 0 } as CSSProperties}
        />
      </div>
      <div className="flex items-center justify-between gap-3">
        <p className="text-muted text-small">{note}</p>
        {children}
      </div>
    </div>
  );
}

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
