import { useLiveQuery } from 'dexie-react-hooks';
import { useEffect, useState } from 'react';
import { readBrowserFacts, type StorageRisk, storageRisk } from '#app/features/outbox/lib/storage-risk.ts';
import { useUserDb } from '#app/lib/engine/session.ts';
import { type OutboxItem, readOutboxItems } from '#sync/client/cache/reads.ts';

/** The refused and the waiting changes with their polls; undefined until they are read. */
export function useOutbox(): Record<'needsYou' | 'waiting', OutboxItem[]> | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : readOutboxItems(db)), [db]);
}

/** See `StorageRisk`; null until it is known. */
export function useStorageRisk(): StorageRisk | null {
  const [risk, setRisk] = useState<StorageRisk | null>(null);
  useEffect(() => {
    readBrowserFacts()
      .then((facts) => setRisk(storageRisk(facts)))
      .catch(() => setRisk('low_room'));
  }, []);
  return risk;
}
