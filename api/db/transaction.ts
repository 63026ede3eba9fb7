import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { createOrm, type Database, type Handle } from './client.ts';
import { isConnectionLost } from './database-error.ts';

export type Transaction = Handle & { readonly sql: postgres.TransactionSql };

/**
 * Runs `work` in a transaction: committed when it resolves, rolled back when it throws. `work` must use only its handle, since
 * the embedded database has a single connection; use `inSavepoint` to nest.
 */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await db.sql.begin((sql) => run(sql, work));
  return outcome.result;
}

/** Runs `work` in a savepoint, which is rolled back when it throws. */
export async function inSavepoint<Result>(
  tx: Transaction,
  work: (part: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await tx.sql.savepoint((sql) => run(sql, work));
  return outcome.result;
}

/** The result is wrapped in an object, since the driver would await an array item by item. */
async function run<Result>(
  sql: postgres.TransactionSql,
  work: (tx: Transaction) => Promise<Result>,
): Promise<{ result: Result }> {
  let orm: PostgresJsDatabase | undefined;
  const tx: Transaction = {
    sql,
    get orm() {
      // Drizzle replaces these parsers of its client. It has already replaced those of the pool.
      const options = { parsers: {}, serializers: {} };
      orm ??= createOrm(Object.assign(sql, { options }) as unknown as postgres.Sql, { retriesReads: false });
      return orm;
    },
  };
  try {
    return { result: await work(tx) };
  } catch (error) {
    // After an error the driver sends a rollback, which crashes the process if the connection is lost (postgres 3.4.9). So this
    // waits forever: the driver itself rejects the transaction once the connection is closed.
    if (isConnectionLost(error)) await new Promise(() => {});
    throw error;
  }
}
