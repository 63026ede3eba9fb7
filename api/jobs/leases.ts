import type { Handle } from '#api/db/client.ts';
import type { Transaction } from '#api/db/transaction.ts';

/**
 * A table used as a work queue, one row per piece of work. A row is due from `next_attempt_at` until it has ended. The process
 * that works on it holds a lease until `leased_until`. A lease expires if its process has died or cannot renew it.
 */
export type Queue = {
  table: 'mail_queue' | 'push_queue' | 'admin_jobs' | 'data_exports';
  endedAt: 'failed_at' | 'ended_at';
  /** How long a lease lasts, and so how long the row of a killed process waits. */
  leaseS: number;
  /** The columns that `leaseDue` returns, in SQL; the row is named `leased` there. */
  columns: string;
  /**
   * Whether a lease that was not released counts as a failed attempt, because the work may have killed its process. Only if work
   * that is aborted when its process shuts down releases its row.
   */
  countsLostLeases?: boolean;
};

/** A queue of messages, which are given up when they are older than `giveUpAfterDays`. */
export type MessageQueue = Queue & { table: 'mail_queue' | 'push_queue'; giveUpAfterDays: number };

/** The right to do a row's work. */
export type Lease = { id: string | number; lease: string };

// Tagged SQL: the builder cannot query a table that is only known at run time.

/**
 * Leases up to `limit` due rows, the longest due first. Skips rows that another process has leased. `condition`: further
 * restricts the rows, in SQL.
 */
export async function leaseDue<Row extends Lease>(
  { sql }: Handle,
  { table, endedAt, leaseS, columns, countsLostLeases = false }: Queue,
  { limit, condition = 'true' }: { limit: number; condition?: string },
): Promise<Row[]> {
  return sql<Row[]>`
    with due as materialized (
      select id from ${sql(table)}
      where ${sql(endedAt)} is null and next_attempt_at <= now() and (lease is null or leased_until < now())
        and ${sql.unsafe(condition)}
      order by next_attempt_at, id limit ${limit}
      for update skip locked
    )
    update ${sql(table)} as leased set
      attempts = attempts + case when ${countsLostLeases} and lease is not null then 1 else 0 end,
      lease = gen_random_uuid(), leased_until = now() + make_interval(secs => ${leaseS})
    from due where leased.id = due.id
    returning ${sql.unsafe(columns)}`;
}

/** Renews a lease for another `leaseS` seconds. Returns false if it was lost. */
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
 * Releases a row, so that any process can lease it. `retryInS`: after a failed attempt, which is counted, the seconds until the row
 * is due again; null if no attempt has failed. Returns false if the lease was lost.
 */
export async function releaseLease(
  { sql }: Handle,
  { table }: Queue,
  { id, lease }: Lease,
  retryInS: number | null = null,
): Promise<boolean> {
  const released = await sql`
    update ${sql(table)} set
      lease = null, leased_until = null, attempts = attempts + ${retryInS === null ? 0 : 1},
      next_attempt_at = coalesce(now() + make_interval(secs => ${retryInS}), next_attempt_at)
    where id = ${id} and lease = ${lease}`;
  return released.count === 1;
}

/**
 * Releases a message after a failed attempt, to be retried in `delayS` seconds ('waiting'). Gives it up ('failed') if retrying
 * is useless (`delayS` is null) or the message is too old. Returns 'gone' if the lease was lost.
 */
export async function releaseMessage(
  tx: Transaction,
  queue: MessageQueue,
  message: Lease,
  { delayS, reason }: { delayS: number | null; reason: string },
): Promise<'waiting' | 'failed' | 'gone'> {
  if (!(await releaseLease(tx, queue, message, delayS ?? 0))) return 'gone';
  const [row] = await tx.sql<{ isWaiting: boolean }[]>`
    update ${tx.sql(queue.table)} set last_error = ${reason}, failed_at = case
      when ${delayS === null} or created_at < now() - make_interval(days => ${queue.giveUpAfterDays}) then now() end
    where id = ${message.id}
    returning failed_at is null as "isWaiting"`;
  return row?.isWaiting ? 'waiting' : 'failed';
}

/** Releases all rows. Only for when no other process can have leased any: at startup on the embedded database. */
export async function releaseAllLeases(
  { sql }: Handle,
  { table, countsLostLeases = false }: Queue,
): Promise<void> {
  await sql`
    update ${sql(table)} set
      lease = null, leased_until = null, attempts = attempts + ${countsLostLeases ? 1 : 0}
    where lease is not null`;
}

/**
 * The back-off after this many failed attempts, in seconds. It doubles with each attempt up to `maxS`, minus a random part of up
 * to half, so that retries do not come in waves.
 */
export function retryDelayS(
  attempts: number,
  { firstS, maxS }: { firstS: number; maxS: number },
  random: () => number = Math.random,
): number {
  return Math.min(maxS, firstS * 2 ** (attempts - 1)) * (1 - random() / 2);
}
