import { useQuery } from '@tanstack/react-query';
import { activeJobOf, jobsQuery } from '#app/features/admin/lib/job-actions.ts';
import { isActive } from '#app/features/admin/lib/job-messages.ts';
import { JOB_REFRESH_INTERVAL_MS } from '#shared/admin/constants.ts';
import type { Job, JobKind } from '#shared/admin/schema.ts';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';

/** The recent jobs of all administrators, newest first; undefined until they are fetched. */
export function useJobs(): readonly Job[] | undefined {
  return useQuery(jobsQuery).data;
}

/**
 * Keeps the jobs up to date: fetches them when the screen opens or regains focus, and repeatedly while a job is active or the
 * first fetch has failed.
 */
export function useJobPolling(): void {
  useQuery({
    ...jobsQuery,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, status } }) =>
      data === undefined
        ? status === 'error' && HEALTH_INTERVAL_MS
        : data.some(isActive) && JOB_REFRESH_INTERVAL_MS,
  });
}

/** See `activeJobOf`. */
export function useActiveJob(kind: JobKind): Job | null {
  return activeJobOf(useJobs() ?? [], kind);
}
