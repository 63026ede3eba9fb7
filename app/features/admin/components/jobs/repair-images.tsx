import { useActiveJob } from '#app/features/admin/hooks/use-jobs.ts';
import { useStartJob } from '#app/features/admin/hooks/use-start-job.ts';
import { startRepair } from '#app/features/admin/lib/job-actions.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { FocusFallback } from '#app/ui/focus-fallback.tsx';
import { JobProgress } from './job-progress.tsx';

export function RepairImages() {
  const job = useActiveJob('repair-images');
  const { start, isStarting } = useStartJob('repair-images', startRepair);

  return (
    <section aria-labelledby="repair-images" className="card p-4">
      <FocusFallback className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0 flex-1 basis-48">
            <h2 id="repair-images" className="text-question">
              Repair Missing Images
            </h2>
            <p className="text-muted text-small">
              Checks every poll and replaces missing images with the placeholder.
            </p>
          </div>
          {job === null && (
            <SecondaryButton
              className="min-h-12 px-5"
              aria-label={isStarting ? undefined : 'Repair Missing Images'}
              aria-disabled={isStarting}
              onClick={() => start(undefined)}
            >
              {isStarting ? 'Starting…' : 'Repair'}
            </SecondaryButton>
          )}
        </div>
        {job !== null && <JobProgress job={job} />}
      </FocusFallback>
    </section>
  );
}
