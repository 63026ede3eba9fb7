import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { Op } from '#sync/operations/registry.ts';

/** The changes that are waiting to be sent; undefined until they are read. */
export function useWaitingOps(): Op[] | undefined {
  return useUserQuery(readOutbox)?.waiting;
}
