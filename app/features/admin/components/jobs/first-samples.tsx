import '#app/styles/admin.css';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { FocusFallback } from '#app/features/admin/components/focus-fallback.tsx';
import { useActiveJob, useJobPolling } from '#app/features/admin/hooks/use-jobs.ts';
import { startSampleJob } from '#app/features/admin/lib/job-actions.ts';
import { withQueries } from '#app/features/admin/lib/query-client.tsx';
import { PrimaryButton } from '#app/ui/button.tsx';
import { JobProgress } from './job-progress.tsx';

/** As many polls as a page of the feed. */
const COUNT = 24;

type Props = {
  /** The content above the button. */
  children: ReactNode;
  /** Called whenever more polls have been created. */
  onPolls(): void;
  /** Called when the job starts or ends. */
  onActive(isActive: boolean): void;
};

export default withQueries(FirstSamples);

/** A button that fills an empty installation with sample polls; while the job runs, its progress replaces the button. */
function FirstSamples({ children, onPolls, onActive }: Props) {
  useJobPolling();
  const job = useActiveJob('generate-polls');
  const { mutate: start, isPending } = useMutation({ mutationFn: () => startSampleJob({ count: COUNT }) });
  const isActive = job !== null;
  const reportActive = useEffectEvent(onActive);
  useEffect(() => reportActive(isActive), [isActive]);

  const done = job?.done ?? null;
  const lastDone = useRef(done);
  const reportPolls = useEffectEvent(onPolls);
  useEffect(() => {
    if (lastDone.current === done) return;
    lastDone.current = done;
    reportPolls();
  }, [done]);

  return (
    <FocusFallback className="admin grid gap-3">
      {job === null ? (
        <>
          {children}
          <PrimaryButton disabled={isPending} onClick={() => start()}>
            Add {COUNT} sample polls
          </PrimaryButton>
        </>
      ) : (
        <JobProgress job={job} />
      )}
    </FocusFallback>
  );
}
