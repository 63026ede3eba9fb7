import type { Handle } from '#api/db/client.ts';
import type { Transaction } from '#api/db/transaction.ts';

/**
 * A table whose rows are work. A row is due from `next_attempt_at` on, until its end. Whoever does it has leased it
 * until `leased_until`; a lease that ran out belonged to a process that is gone.
 */
export type Queue = {
  table: 'mail_queue' | 'push_queue' | 'admin_jobs' | 'data_exports';
  endedAt: 'failed_at' | 'ended_at';
  /** How long a lease lasts, and so how long a row lies idle whose process was killed. */
  leaseS: number;
  /** What is returned of a leased row, in SQL. */
  columns: string;
};

/** A queue of messages, which are given up when they are older than this. */
export type MessageQueue = Queue & { table: 'mail_queue' | 'push_queue'; giveUpAfterDays: number };

/** The right to do a row's work. */
export type Lease = { id: string | number; lease: string };

// Tagged SQL, to be read side by side: the builder has no words for a table that is one of several.

/**
 * Leases up to `limit` rows that are due, those that have waited longest first. What another process has leased is
 * passed over. `only`: a condition in SQL.
 */
export async function leaseDue<Row extends Lease>(
  { sql }: Handle,
  { table, endedAt, leaseS, columns }: Queue,
  { limit, only = 'true' }: { limit: number; only?: string },
): Promise<Row[]> {
  return sql<Row[]>`
    with due as materialized (
      select id from ${sql(table)}
      where ${sql(endedAt)} is null and next_attempt_at <= now() and (lease is null or leased_until < now())
        and ${sql.unsafe(only)}
      order by next_attempt_at, id limit ${limit}
      for update skip locked
    )
    update ${sql(table)} as leased set
      lease = gen_random_uuid(), leased_until = now() + make_interval(secs => ${leaseS})
    from due where leased.id = due.id
    returning ${sql.unsafe(columns)}`;
}

/** Keeps a row for another `leaseS` seconds. False when it is no longer ours. */
export async function renewLease(
  { sql }: Handle,
  { table, leaseS }: Queue,
  { id, lease }: Lease,
): Promise<boolean> {
  const renewed = await sql`
    update ${sql(table)} set leased_until = now() + make_interval(secs => ${leaseS})
    where id = ${id} and lease = ${lease}`;
  return renewed.count === 1;
}

/**
 * Gives a row back, for whoever looks next; after an attempt that failed it is due again in `retryInS` seconds. False
 * when it is no longer ours.
 */
export async function giveBack(
  { sql }: Handle,
  { table }: Queue,
  { id, lease }: Lease,
  retryInS: number | null = null,
): Promise<boolean> {
  const given = await sql`
    update ${sql(table)} set
      lease = null, leased_until = null, attempts = attempts + ${retryInS === null ? 0 : 1},
      next_attempt_at = coalesce(now() + make_interval(secs => ${retryInS}), next_attempt_at)
    where id = ${id} and lease = ${lease}`;
  return given.count === 1;
}

/**
 * Gives a message back after an attempt that failed, to be tried again in `delayS` seconds, or gives it up: when trying
 * again is no use (`delayS` null), or when it is too old. Says which; 'gone' when it is no longer ours.
 */
export async function giveBackMessage(
  tx: Transaction,
  queue: MessageQueue,
  message: Lease,
  { delayS, reason }: { delayS: number | null; reason: string },
): Promise<'waiting' | 'failed' | 'gone'> {
  if (!(await giveBack(tx, queue, message, delayS ?? 0))) return 'gone';
  const [row] = await tx.sql<{ isWaiting: boolean }[]>`
    update ${tx.sql(queue.table)} set last_error = ${reason}, failed_at = case
      when ${delayS === null} or created_at < now() - make_interval(days => ${queue.giveUpAfterDays}) then now() end
    where id = ${message.id}
    returning failed_at is null as "isWaiting"`;
  return row?.isWaiting ? 'waiting' : 'failed';
}

/** Gives all rows back. Only for when no other process can have any: at the start on the embedded database. */
export async function voidLeases({ sql }: Handle, { table }: Queue): Promise<void> {
  await sql`update ${sql(table)} set lease = null, leased_until = null where lease is not null`;
}

/** How long to wait after so many failed attempts: twice as long each time, less up to a half by chance, so that retries do not come in waves. */
export function retryDelayS(
  attempts: number,
  { firstS, maxS }: { firstS: number; maxS: number },
  random: () => number = Math.random,
): number {
  return Math.min(maxS, firstS * 2 ** Math.min(attempts - 1, 30)) * (1 - random() / 2);
}
