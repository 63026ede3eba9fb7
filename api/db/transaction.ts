import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { createOrm, type Database, type Handle } from './client.ts';
import { isConnectionLost } from './database-error.ts';
import { retryLost } from './retry-lost.ts';

type Connection = { isLost: boolean };

export type Transaction = Handle & { readonly sql: postgres.TransactionSql; readonly connection: Connection };

/**
 * Runs `work` once, in a transaction: committed when it resolves, rolled back when it throws. `work` must use only its handle,
 * since the embedded database has a single connection; use `inSavepoint` to nest.
 */
export async function inTransaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let hasBegun = false;
  return retryLost(
    async () => {
      const connection = { isLost: false };
      try {
        const outcome = await db.sql.begin((sql) => {
          hasBegun = true;
          return run(sql, connection, work);
        });
        return outcome.result;
      } catch (error) {
        connection.isLost = isConnectionLost(error);
        throw error;
      }
    },
    () => !hasBegun,
  );
}

/**
 * The driver crashes the process if a statement is sent in a transaction whose connection is lost (postgres 3.4.9). From the
 * returned handle such a statement is not sent: it waits forever, and `work` with it. The driver has already rejected the
 * transaction.
 */
function whileConnected(sql: postgres.TransactionSql, connection: Connection): postgres.TransactionSql {
  const guard = <Call extends (...args: never[]) => unknown>(call: Call) =>
    new Proxy(call, {
      apply: (target, self, args) =>
        connection.isLost ? new Promise(() => {}) : Reflect.apply(target, self, args),
    });
  const [unsafe, savepoint] = [guard(sql.unsafe), guard(sql.savepoint)];
  return Object.assign(guard(sql), { unsafe, savepoint });
}

/** Runs `work` in a savepoint, which is rolled back when it throws. */
export async function inSavepoint<Result>(
  tx: Transaction,
  work: (part: Transaction) => Promise<Result>,
): Promise<Result> {
  const outcome = await tx.sql.savepoint((sql) => run(sql, tx.connection, work));
  return outcome.result;
}

/**
 * Runs `work` with the handle of a transaction or savepoint. The result is wrapped in an object, since the driver would await an
 * array item by item.
 */
async function run<Result>(
  unguarded: postgres.TransactionSql,
  connection: Connection,
  work: (tx: Transaction) => Promise<Result>,
): Promise<{ result: Result }> {
  const sql = whileConnected(unguarded, connection);
  let orm: PostgresJsDatabase | undefined;
  const tx: Transaction = {
    sql,
    connection,
    get orm() {
      // Drizzle sets the parsers of its client. A transaction has none: it uses those of the pool, which Drizzle has set already.
      const options = { parsers: {}, serializers: {} };
      orm ??= createOrm(Object.assign(sql, { options }) as unknown as postgres.Sql, { retriesReads: false });
      return orm;
    },
  };
  try {
    const result = await work(tx);
    // Otherwise the driver sends a commit.
    if (connection.isLost) await new Promise(() => {});
    return { result };
  } catch (error) {
    // Otherwise the driver sends a rollback.
    if (connection.isLost || isConnectionLost(error)) await new Promise(() => {});
    throw error;
  }
}
