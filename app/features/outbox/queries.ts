import { useLiveQuery } from 'dexie-react-hooks';
import { useEffect, useState } from 'react';
import { readBrowserFacts, type StorageRisk, storageRisk } from '#app/features/outbox/lib/storage-risk.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { type OutboxItem, readOutboxItems } from '#sync/client/cache/reads.ts';

/** What needs the person and what waits, with its polls; undefined until it has been read. */
export function useOutbox(): Record<'needsYou' | 'waiting', OutboxItem[]> | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : readOutboxItems(db)), [db]);
}

/** What may happen to what waits on this device; null until the browser has told. */
export function useStorageRisk(): StorageRisk | null {
  const [risk, setRisk] = useState<StorageRisk | null>(null);
  useEffect(() => {
    readBrowserFacts()
      .then((facts) => setRisk(storageRisk(facts)))
      .catch(() => setRisk('low_room'));
  }, []);
  return risk;
}
