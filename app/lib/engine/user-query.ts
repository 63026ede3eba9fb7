import { liveQuery } from 'dexie';
import { useObservable as useDexieObservable, useLiveQuery } from 'dexie-react-hooks';
import { countOutbox, readPoints } from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { PointsView } from '#sync/client/outbox/overlay.ts';
import { useUserDb } from './session.ts';
import { type SharedQuery, shareQuery } from './shared-query.ts';

type Read<Result> = (db: UserDb) => Promise<Result>;

const NO_USER = shareQuery(liveQuery(() => undefined));
/** The shared queries by database and `read` function. */
const queries = new WeakMap<UserDb, Map<Read<unknown>, SharedQuery<unknown>>>();

function queryOf(db: UserDb, read: Read<unknown>): SharedQuery<unknown> {
  const queriesOfDb = queries.get(db) ?? new Map<Read<unknown>, SharedQuery<unknown>>();
  queries.set(db, queriesOfDb);
  const query = queriesOfDb.get(read) ?? shareQuery(liveQuery(() => read(db)));
  queriesOfDb.set(read, query);
  return query;
}

/**
 * A live query on the database of the logged-in user; undefined until it has run, and while there is no user. All
 * components with the same function `read` share one query.
 */
export function useUserQuery<Result>(read: Read<Result>): Result | undefined {
  const db = useUserDb();
  const query = db === null ? NO_USER : (queryOf(db, read) as SharedQuery<Result>);
  return useDexieObservable<Result | undefined, undefined>(() => query, [query], undefined);
}

/** Like `useUserQuery`, for a `read` that depends on values of the component; it is not shared. */
export function useUserQueryOf<Result>(
  read: Read<Result>,
  dependencies: readonly unknown[],
): Result | undefined {
  const db = useUserDb();
  return useLiveQuery(async () => (db === null ? undefined : read(db)), [db, ...dependencies]);
}

export type OutboxCounts = { needsDecision: number; waiting: number };

const EMPTY: OutboxCounts = { needsDecision: 0, waiting: 0 };

/** The numbers of changes that the user has to decide about, and of changes that are waiting to be sent. */
export function useOutboxCounts(): OutboxCounts {
  return useUserQuery(countOutbox) ?? EMPTY;
}

/** The points; null until they are read, and while nobody is logged in. Those in `session.user` may be older. */
export function usePoints(): PointsView | null {
  return useUserQuery(readPoints) ?? null;
}
