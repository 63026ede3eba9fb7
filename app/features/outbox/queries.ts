import { useLiveQuery } from 'dexie-react-hooks';
import { useUserDb } from '#app/lib/user-db.ts';
import { type OutboxItem, readOutboxItems } from '#sync/client/reads.ts';

/** What needs the person and what waits, with its polls; undefined until it has been read. */
export function useOutbox(): Record<'needsYou' | 'waiting', OutboxItem[]> | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : readOutboxItems(db)), [db]);
}
