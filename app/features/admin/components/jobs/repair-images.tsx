import { useMutation } from '@tanstack/react-query';
import { useJobUnderWay } from '#app/features/admin/hooks/use-jobs.ts';
import { useKeptFocus } from '#app/features/admin/hooks/use-kept-focus.ts';
import { startRepair } from '#app/features/admin/lib/job-actions.ts';
import { QuietButton } from '#app/ui/button.tsx';
import { JobProgress } from './job-progress.tsx';

/** Looks for pictures that are gone, and shows how far it is. */
export function RepairImages() {
  const job = useJobUnderWay('repair-images');
  const { mutate: start, isPending: isStarting } = useMutation({ mutationFn: startRepair });
  const place = useKeptFocus<HTMLElement>();

  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-labelledby="repair-images"
      className="grid outline-none content-start gap-4 rounded-card bg-base-100 p-4 shadow-card"
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 flex-1 basis-48">
          <h2 id="repair-images" className="text-question">
            Repair Missing Images
          </h2>
          <p className="text-muted text-small">
            Checks every poll and puts the placeholder where a picture is gone.
          </p>
        </div>
        {job === null && (
          <QuietButton
            className="min-h-12 px-5"
            aria-label="Repair Missing Images"
            onClick={() => isStarting || start()}
          >
            {isStarting ? 'Starting…' : 'Repair'}
          </QuietButton>
        )}
      </div>
      {job !== null && <JobProgress job={job} />}
    </section>
  );
}
