import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import type { Database, Handle } from './client.ts';

export type Transaction = Handle & { readonly sql: postgres.TransactionSql };

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. `work` must use only
 * the handle that it is given (the embedded database has a single connection); `tx.sql.savepoint` nests.
 */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await db.sql.begin(async (sql) => {
    let orm: PostgresJsDatabase | undefined;
    const tx: Transaction = {
      sql,
      get orm() {
        orm ??= drizzle(
          Object.assign(sql, { options: db.sql.options }) as postgres.TransactionSql & postgres.Sql,
        );
        return orm;
      },
    };
    // Boxed, because the driver would await an array of a result item by item.
    return { result: await work(tx) };
  });
  return outcome.result;
}
