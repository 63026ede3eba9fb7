import type { Handle } from './client.ts';

/** A query for every request: building it takes longer than sending it, so that is done once a database. */
export function builtOnce<Query>(build: (orm: Handle['orm']) => Query): (handle: Handle) => Query {
  const queries = new WeakMap<Handle['orm'], Query>();
  return ({ orm }) => {
    const query = queries.get(orm) ?? build(orm);
    queries.set(orm, query);
    return query;
  };
}
