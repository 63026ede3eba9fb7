import { Ban, Check, CircleAlert } from 'lucide-react';
import { useJobs } from '#app/features/admin/hooks/use-jobs.ts';
import { useKeptFocus } from '#app/features/admin/hooks/use-kept-focus.ts';
import { momentLabel } from '#app/features/admin/lib/admin-words.ts';
import { isUnderWay, JOB_NAMES, STATE_NAMES } from '#app/features/admin/lib/job-words.ts';
import { Chip } from '#app/ui/chip.tsx';
import { Panel } from '#app/ui/panel.tsx';
import type { Job } from '#shared/admin/schema.ts';
import { JobProgress } from './job-progress.tsx';

const SHOWN_MAX = 8;
const LOOKS = {
  done: { icon: Check, tone: 'quiet' },
  failed: { icon: CircleAlert, tone: 'error' },
  stopped: { icon: Ban, tone: 'outline' },
} as const;

/** The server's long work of late; an image repair that is under way stands beside its own button. */
export function JobList() {
  const place = useKeptFocus();
  const known = useJobs();
  const jobs = (known ?? [])
    .filter((job) => job.kind !== 'repair-images' || !isUnderWay(job))
    .slice(0, SHOWN_MAX);
  return (
    <Panel title="Jobs">
      <div ref={place} tabIndex={-1} className="outline-none">
        {jobs.length === 0 && (
          <p className="text-muted text-small">{known === undefined ? 'Loading…' : 'No jobs of late.'}</p>
        )}
        <ul className="grid gap-3 empty:hidden">
          {jobs.map((job) => (
            <li key={job.id} className="border-base-300 border-t pt-3 first:border-t-0 first:pt-0">
              {isUnderWay(job) ? <JobProgress job={job} /> : <EndedJob job={job} />}
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function EndedJob({ job: { kind, state, message, createdAt } }: { job: Job }) {
  const look = state === 'queued' || state === 'running' ? null : LOOKS[state];
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
      <div className="wrap-anywhere min-w-0 flex-1 basis-[7em]">
        <p className="font-semibold text-body">{JOB_NAMES[kind]}</p>
        <p className="text-muted text-small">
          {message !== null && `${message.replace(/\.$/, '')} · `}
          <span className="whitespace-nowrap">{momentLabel(createdAt)}</span>
        </p>
      </div>
      {look !== null && (
        <Chip icon={look.icon} tone={look.tone}>
          {STATE_NAMES[state]}
        </Chip>
      )}
    </div>
  );
}
