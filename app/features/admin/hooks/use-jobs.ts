import { useQuery } from '@tanstack/react-query';
import { jobsQuery } from '#app/features/admin/lib/job-actions.ts';
import { isActive } from '#app/features/admin/lib/job-messages.ts';
import { JOB_POLL_INTERVAL_MS } from '#shared/admin/constants.ts';
import type { Job, JobKind } from '#shared/admin/schema.ts';

/** The recent jobs, newest first; undefined until they are fetched. */
export function useJobs(): readonly Job[] | undefined {
  return useQuery(jobsQuery).data;
}

/** Keeps the jobs up to date: fetches them when the screen opens or regains focus, and repeatedly while a job is active. */
export function useJobPolling(): void {
  useQuery({
    ...jobsQuery,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => state.data?.some(isActive) === true && JOB_POLL_INTERVAL_MS,
  });
}

export function useActiveJob(kind: JobKind): Job | null {
  return useJobs()?.find((job) => job.kind === kind && isActive(job)) ?? null;
}
