import type { Database } from '#api/db/client.ts';

/**
 * `db`, on which `meanwhile` is done once, after the first statement that contains `part` was answered: what another
 * process may do between two statements of this one. For statements outside of transactions.
 */
export function interleaved(db: Database, part: string, meanwhile: () => Promise<unknown>): Database {
  let isDone = false;
  const sql = new Proxy(db.sql, {
    apply(target, self, args: Parameters<typeof db.sql>) {
      const query: PromiseLike<unknown> = Reflect.apply(target, self, args);
      const [strings] = args;
      if (isDone || !Array.isArray(strings) || !strings.join('?').includes(part)) return query;
      isDone = true;
      return query.then(async (rows) => {
        await meanwhile();
        return rows;
      });
    },
  });
  return { ...db, sql };
}

/** `db`, whose next transaction is committed though its caller hears of a lost connection. */
export function losingCommitAnswer(db: Database): Database {
  let isDone = false;
  const sql = new Proxy(db.sql, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (name !== 'begin' || isDone || typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        isDone = true;
        await value.apply(target, args);
        throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
      };
    },
  });
  return { ...db, sql };
}
