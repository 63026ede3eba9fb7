import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readPoints } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** The points read last, which a new screen shows at once. */
const lastRead = new WeakMap<UserDb, PointsView | null>();

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
