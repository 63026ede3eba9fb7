import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readPoints } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** What was read last: a screen that is opened shows it at once. */
const lastRead = new WeakMap<UserDb, PointsView | null>();

/** The user's points with waiting changes counted; null while unknown. */
export function usePoints(): PointsView | null {
  const db = useUserDb();
  const read = async () => {
    if (db === null) return null;
    const points = await readPoints(db);
    lastRead.set(db, points);
    return points;
  };
  return useLiveQuery(read, [db], db === null ? null : (lastRead.get(db) ?? null));
}
