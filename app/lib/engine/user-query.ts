import { liveQuery } from 'dexie';
import { useLiveQuery, useObservable } from 'dexie-react-hooks';
import { countOutbox } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import { useUserDb } from './session.ts';
import { type SharedQuery, shareQuery } from './shared-query.ts';

type Read<Result> = (db: UserDb) => Promise<Result>;

const NO_USER = shareQuery(liveQuery(() => undefined));
/** The shared queries by database and read. */
const queries = new WeakMap<UserDb, Map<Read<unknown>, SharedQuery<unknown>>>();

function queryOf(db: UserDb, read: Read<unknown>): SharedQuery<unknown> {
  const ofDb = queries.get(db) ?? new Map<Read<unknown>, SharedQuery<unknown>>();
  queries.set(db, ofDb);
  const query = ofDb.get(read) ?? shareQuery(liveQuery(() => read(db)));
  ofDb.set(read, query);
  return query;
}

/**
 * A live query on the database of the logged-in user; undefined until it is read, and while there is no user. All
 * components with the same function `read` share one query.
 */
export function useUserQuery<Result>(read: Read<Result>): Result | undefined {
  const db = useUserDb();
  const query = db === null ? NO_USER : (queryOf(db, read) as SharedQuery<Result>);
  return useObservable<Result | undefined, undefined>(() => query, [query], undefined);
}

/** The same for a read that depends on values of the component, which runs it for itself. */
export function useUserQueryOf<Result>(
  read: Read<Result>,
  dependencies: readonly unknown[],
): Result | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : read(db)), [db, ...dependencies]);
}

export type OutboxCounts = { needsDecision: number; waiting: number };

const EMPTY: OutboxCounts = { needsDecision: 0, waiting: 0 };

/** The numbers of refused changes, which the user has to decide about, and of changes that are waiting to be sent. */
export function useOutboxCounts(): OutboxCounts {
  return useUserQuery(countOutbox) ?? EMPTY;
}
