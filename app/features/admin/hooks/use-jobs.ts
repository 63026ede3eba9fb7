import { useQuery } from '@tanstack/react-query';
import { jobsQuery } from '#app/features/admin/lib/job-actions.ts';
import { isUnderWay } from '#app/features/admin/lib/job-words.ts';
import { JOB_LOOK_INTERVAL_MS } from '#shared/admin/constants.ts';
import type { Job, JobKind } from '#shared/admin/schema.ts';

/** The server's long work of late, newest first; undefined until the server has told. */
export function useJobs(): readonly Job[] | undefined {
  return useQuery(jobsQuery).data;
}

/** Keeps the jobs fresh: asks once when the screen opens or comes back, and goes on while one is under way. */
export function useJobWatch(): void {
  useQuery({
    ...jobsQuery,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => state.data?.some(isUnderWay) === true && JOB_LOOK_INTERVAL_MS,
  });
}

/** The job of a kind that is under way; null when none is. */
export function useJobUnderWay(kind: JobKind): Job | null {
  return useJobs()?.find((job) => job.kind === kind && isUnderWay(job)) ?? null;
}
