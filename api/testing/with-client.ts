import type { Database } from '#api/db/client.ts';

/** `db` with another client, which also runs the queries of dedicated connections. */
export function withClient(db: Database, client: Partial<Pick<Database, 'sql' | 'orm'>>): Database {
  const replaced = { ...db, ...client };
  return {
    ...replaced,
    dedicated: { reads: (work) => work(replaced), votes: (work) => work(replaced) },
  };
}
