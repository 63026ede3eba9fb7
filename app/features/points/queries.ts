import { liveQuery } from 'dexie';
import { useAtomValue } from 'jotai';
import { atomWithObservable } from 'jotai/utils';
import { userDbAtom } from '#app/lib/user-db.ts';
import { readPoints } from '#sync/client/cache/reads.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** Several places show the points: the whole outbox is read once for all of them. */
const pointsAtom = atomWithObservable<PointsView | null>(
  (get) => {
    const db = get(userDbAtom);
    return liveQuery(async () => (db === null ? null : readPoints(db)));
  },
  { initialValue: null },
);

/** The user's points with waiting changes counted; null while unknown. */
export function usePoints(): PointsView | null {
  return useAtomValue(pointsAtom);
}
