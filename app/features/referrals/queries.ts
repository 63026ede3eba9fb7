import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { readReferralPoints } from '#sync/client/cache/reads.ts';

/** What the user's friends have earned them; undefined while that is nothing, or unknown. */
export function usePointsEarned(): number | undefined {
  return useUserQuery(readReferralPoints);
}
