import type { Handle } from './client.ts';

/** Builds a frequent query once for each database: building takes longer than sending. */
export function builtOnce<Query>(build: (orm: Handle['orm']) => Query): (handle: Handle) => Query {
  const queries = new WeakMap<Handle['orm'], Query>();
  return ({ orm }) => {
    const query = queries.get(orm) ?? build(orm);
    queries.set(orm, query);
    return query;
  };
}
