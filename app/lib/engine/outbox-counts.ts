import { useLiveQuery } from 'dexie-react-hooks';
import { countOutbox } from '#sync/client/cache/reads.ts';
import { useUserDb } from './session.ts';

export type OutboxCounts = { needsYou: number; waiting: number };

const NOTHING: OutboxCounts = { needsYou: 0, waiting: 0 };

/** How many changes need the person's decision, and how many wait to be sent. */
export function useOutboxCounts(): OutboxCounts {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? NOTHING : countOutbox(db)), [db], NOTHING);
}
