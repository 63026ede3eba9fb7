import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readReferralPoints } from '#sync/client/cache/reads.ts';

/** What the user's friends have earned them; undefined while that is nothing, or unknown. */
export function usePointsEarned(): number | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : readReferralPoints(db)), [db]);
}
