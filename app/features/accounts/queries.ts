import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/engine/session.ts';
import { readOutbox } from '#sync/client/cache/reads.ts';
import type { Op } from '#sync/operations/registry.ts';

/** The changes that are waiting to be sent; undefined until they are read. */
export function useWaitingOps(): Op[] | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? [] : (await readOutbox(db)).waiting), [db]);
}
