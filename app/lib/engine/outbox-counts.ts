import { useLiveQuery } from 'dexie-react-hooks';
import { countOutbox } from '#sync/client/cache/reads.ts';
import { useUserDb } from './session.ts';

export type OutboxCounts = { needsYou: number; waiting: number };

const EMPTY: OutboxCounts = { needsYou: 0, waiting: 0 };

/** The numbers of refused changes, which the user has to decide about, and of changes that are waiting to be sent. */
export function useOutboxCounts(): OutboxCounts {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? EMPTY : countOutbox(db)), [db], EMPTY);
}
