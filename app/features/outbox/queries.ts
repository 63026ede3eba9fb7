import { readStorageRisk, type StorageRisk } from '#app/features/outbox/lib/storage-risk.ts';
import { useUserQuery } from '#app/lib/engine/user-query.ts';
import { useAsync } from '#app/lib/use-async.ts';
import { type OutboxItem, readOutboxItems } from '#sync/client/cache/reads.ts';

export function useOutbox(): Record<'needsYou' | 'waiting', OutboxItem[]> | undefined {
  return useUserQuery(readOutboxItems);
}

/** See `StorageRisk`; undefined until it is known. */
export function useStorageRisk(): StorageRisk | undefined {
  return useAsync(readStorageRisk, 'low_room');
}
