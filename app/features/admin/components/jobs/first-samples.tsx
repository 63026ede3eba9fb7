import '#app/styles/admin.css';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { useActiveJob, useJobPolling, useJobs } from '#app/features/admin/hooks/use-jobs.ts';
import { useStartJob } from '#app/features/admin/hooks/use-start-job.ts';
import { startSampleJob } from '#app/features/admin/lib/job-actions.ts';
import { withQueries } from '#app/features/admin/lib/query-client.tsx';
import { PrimaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import { JobProgress } from './job-progress.tsx';

/** Fills the first page of the feed. */
const SAMPLE_COUNT = FEED_PAGE_SIZE;

type Props = {
  /** The content above the button. */
  children: ReactNode;
  /** Called whenever more polls may have been created: on progress, and when the job starts or ends. */
  onPollsCreated(): void;
  /** Called once it is known whether the job runs, and when it starts or ends. */
  onActiveChange(isActive: boolean): void;
};

export default withQueries(FirstSamples);

/** A button that fills an empty installation with sample polls; while the job runs, its progress replaces the button. */
function FirstSamples({ children, onPollsCreated, onActiveChange }: Props) {
  useJobPolling();
  const job = useActiveJob('generate-polls');
  const { start, isStarting } = useStartJob('generate-polls', startSampleJob);
  const isActive = job !== null;
  const reportActiveChange = useEffectEvent(onActiveChange);
  // False until the jobs have been fetched after each mount: offline, the parent unmounts this component, and the query client
  // drops them.
  const isKnown = useJobs() !== undefined;
  useEffect(() => {
    if (isKnown) reportActiveChange(isActive);
  }, [isKnown, isActive]);

  const createdCount = job?.done ?? null;
  const lastCreatedCount = useRef(createdCount);
  const reportPollsCreated = useEffectEvent(onPollsCreated);
  useEffect(() => {
    if (lastCreatedCount.current === createdCount) return;
    lastCreatedCount.current = createdCount;
    reportPollsCreated();
  }, [createdCount]);

  return (
    <FocusFallback className="admin grid gap-3">
      {job === null ? (
        <>
          {children}
          <PrimaryButton
            aria-disabled={isStarting || !isKnown}
            onClick={() => isKnown && start({ count: SAMPLE_COUNT })}
          >
            Add {SAMPLE_COUNT} sample polls
          </PrimaryButton>
        </>
      ) : (
        <JobProgress job={job} />
      )}
    </FocusFallback>
  );
}
