import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/user-db.ts';
import type { PointsView } from '#sync/client/overlay.ts';
import { readPoints } from '#sync/client/reads.ts';

/** The user's points with waiting changes counted; null while unknown. */
export function usePoints(): PointsView | null {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? null : readPoints(db)), [db], null);
}
