import { useLiveQuery } from 'dexie-react-hooks';
import { countOutbox } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { useUserDb } from './session.ts';

/** A live query on the database of the logged-in user; undefined until it is read, and while there is no user. */
export function useUserQuery<Result>(
  read: (db: UserDb) => Promise<Result>,
  dependencies: readonly unknown[] = [],
): Result | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : read(db)), [db, ...dependencies]);
}

export type OutboxCounts = { needsYou: number; waiting: number };

const EMPTY: OutboxCounts = { needsYou: 0, waiting: 0 };

/** The numbers of refused changes, which the user has to decide about, and of changes that are waiting to be sent. */
export function useOutboxCounts(): OutboxCounts {
  return useUserQuery(countOutbox) ?? EMPTY;
}
