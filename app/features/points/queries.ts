import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { readPoints } from '#sync/client/cache/reads.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';

/** The points; null until they are read, and while nobody is logged in. */
export function usePoints(): PointsView | null {
  return useUserQuery(readPoints) ?? null;
}
