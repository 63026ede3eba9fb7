import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { createOrm, type Database, type Handle } from './client.ts';
import { isConnectionLost } from './database-error.ts';

export type Transaction = Handle & { readonly sql: postgres.TransactionSql };

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. `work` must use only
 * the handle that it is given (the embedded database has a single connection); `inSavepoint` nests.
 */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await db.sql.begin((sql) => run(sql, work));
  return outcome.result;
}

/** Runs `work` in a part of a transaction, which is undone alone when it throws. */
export async function inSavepoint<Result>(
  tx: Transaction,
  work: (part: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await tx.sql.savepoint((sql) => run(sql, work));
  return outcome.result;
}

/** The result is boxed, because the driver would await an array item by item. */
async function run<Result>(
  sql: postgres.TransactionSql,
  work: (tx: Transaction) => Promise<Result>,
): Promise<{ result: Result }> {
  let orm: PostgresJsDatabase | undefined;
  const tx: Transaction = {
    sql,
    get orm() {
      // The parsers that Drizzle replaces are those of the pool, which has its own already.
      const options = { parsers: {}, serializers: {} };
      orm ??= createOrm(Object.assign(sql, { options }) as unknown as postgres.Sql, { retriesReads: false });
      return orm;
    },
  };
  try {
    return { result: await work(tx) };
  } catch (error) {
    // After any error the driver writes a rollback, and to a connection that is gone that ends the process (postgres
    // 3.4.9). It rejects the transaction by itself as soon as the connection is closed.
    if (isConnectionLost(error)) await new Promise(() => {});
    throw error;
  }
}
