import { Ban, Check, CircleAlert } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useJobs } from '#app/features/admin/hooks/use-jobs.ts';
import { isActive, JOB_TEXTS } from '#app/features/admin/lib/job-messages.ts';
import { dateTimeLabel } from '#app/lib/time.ts';
import { Chip } from '#app/ui/chip.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { Panel } from '#app/ui/panel.tsx';
import type { Job, JobState } from '#shared/admin/schema.ts';
import { JobProgress } from './job-progress.tsx';

const SHOWN_JOBS_MAX = 8;
const CHIPS: Partial<Record<JobState, ComponentProps<typeof Chip>>> = {
  done: { icon: Check, tone: 'quiet', children: 'Done' },
  failed: { icon: CircleAlert, tone: 'error', children: 'Failed' },
  stopped: { icon: Ban, tone: 'outline', children: 'Stopped' },
};

/** The recent jobs. An active image repair is shown in its own panel instead. */
export function JobList() {
  const allJobs = useJobs();
  const jobs = (allJobs ?? [])
    .filter((job) => job.kind !== 'repair-images' || !isActive(job))
    .slice(0, SHOWN_JOBS_MAX);
  return (
    <Panel title="Jobs">
      <FocusFallback>
        {jobs.length === 0 && (
          <p className="text-muted text-small">{allJobs === undefined ? 'Loading…' : 'No recent jobs.'}</p>
        )}
        <ul className="grid gap-3 empty:hidden">
          {jobs.map((job) => (
            <li key={job.id} className="border-base-300 border-t pt-3 first:border-t-0 first:pt-0">
              {isActive(job) ? <JobProgress job={job} /> : <EndedJob job={job} />}
            </li>
          ))}
        </ul>
      </FocusFallback>
    </Panel>
  );
}

function EndedJob({ job: { kind, state, message, createdAt } }: { job: Job }) {
  const chip = CHIPS[state];
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
      <div className="wrap-anywhere min-w-0 flex-1 basis-[7em]">
        <p className="font-semibold text-body">{JOB_TEXTS[kind].name}</p>
        <p className="text-muted text-small">
          {message !== null && `${message.replace(/\.$/, '')} · `}
          <span className="whitespace-nowrap">{dateTimeLabel(createdAt)}</span>
        </p>
      </div>
      {chip !== undefined && <Chip {...chip} />}
    </div>
  );
}
