import { expect, onTestFinished } from 'vitest';
import { createOrm, type Database } from '#api/db/client.ts';

/**
 * Like `db`, but runs `meanwhile` after each of the first `times` statements that contain `part`, before it returns their rows:
 * what another process may do between two statements of this one. The test fails if fewer than `times` statements contain it,
 * unless `times` is infinite. For statements outside of transactions.
 */
export function afterStatement(
  db: Database,
  part: string,
  meanwhile: () => Promise<unknown>,
  times = 1,
): Database {
  let remaining = times;
  if (Number.isFinite(times)) {
    onTestFinished(() => expect(remaining, `statements with ${part} that did not run`).toBe(0));
  }
  const isMatch = (text: string) => remaining > 0 && text.includes(part);
  const thenRunMeanwhile = async <Rows>(query: PromiseLike<Rows>): Promise<Rows> => {
    remaining -= 1;
    const rows = await query;
    await meanwhile();
    return rows;
  };
  const sql = new Proxy(db.sql, {
    apply(target, self, args: Parameters<typeof db.sql>) {
      const query: PromiseLike<unknown> = Reflect.apply(target, self, args);
      const [strings] = args;
      return Array.isArray(strings) && isMatch(strings.join('?')) ? thenRunMeanwhile(query) : query;
    },
    // The builder queries through `unsafe`.
    get(target, name, receiver) {
      if (name !== 'unsafe') return Reflect.get(target, name, receiver);
      return (...args: Parameters<typeof target.unsafe>) => {
        const query = target.unsafe(...args);
        if (!isMatch(args[0])) return query;
        const result = thenRunMeanwhile(query);
        // The builder calls `values` to get each row as an array.
        const values = () => {
          query.values();
          return result;
        };
        return Object.assign(result, { values });
      };
    },
  });
  return withClient(db, { sql, orm: createOrm(sql, { retriesReads: false }) });
}

/** Like `db`, but the caller of the next transaction gets the error of a lost connection, although the commit succeeds. */
export function withLostCommitResponse(db: Database): Database {
  return afterNextTransaction(db, () =>
    Promise.reject(Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })),
  );
}

/** Like `db`, but runs `meanwhile` once, after the commit of the next transaction and before its caller gets the result. */
export function afterNextTransaction(db: Database, meanwhile: () => Promise<unknown>): Database {
  let isDone = false;
  const sql = new Proxy(db.sql, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (name !== 'begin' || isDone || typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        isDone = true;
        const result = await value.apply(target, args);
        await meanwhile();
        return result;
      };
    },
  });
  return withClient(db, { sql });
}

/** `db` with another client, which also runs the queries of dedicated connections. */
export function withClient(db: Database, client: Partial<Pick<Database, 'sql' | 'orm'>>): Database {
  const replaced = { ...db, ...client };
  return {
    ...replaced,
    dedicated: { reads: (work) => work(replaced), votes: (work) => work(replaced) },
  };
}
