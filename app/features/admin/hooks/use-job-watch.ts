import { useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { jobsAtom } from '#app/features/admin/atoms.ts';
import { lookAtJobs, watchJobs } from '#app/features/admin/lib/job-actions.ts';
import { isUnderWay } from '#app/features/admin/lib/job-words.ts';
import { useVisible } from '#app/features/admin/lib/visible.ts';
import { useReachable } from '#app/lib/online.ts';
import { JOB_LOOK_INTERVAL_MS } from '#shared/admin/constants.ts';
import type { Job, JobKind } from '#shared/admin/schema.ts';

/** Keeps the jobs fresh: asks once when the screen opens or comes back, and goes on while one is under way. */
export function useJobWatch(): void {
  const isAnyUnderWay = useAtomValue(jobsAtom).some(isUnderWay);
  const isReachable = useReachable();
  const isLooking = useVisible() && isReachable;
  useEffect(() => watchJobs(), []);
  useEffect(() => {
    if (isLooking) void lookAtJobs();
  }, [isLooking]);
  useEffect(() => {
    if (!isLooking || !isAnyUnderWay) return;
    const timer = setInterval(() => void lookAtJobs(), JOB_LOOK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isLooking, isAnyUnderWay]);
}

/** The job of a kind that is under way; null when none is. */
export function useJobUnderWay(kind: JobKind): Job | null {
  return useAtomValue(jobsAtom).find((job) => job.kind === kind && isUnderWay(job)) ?? null;
}
