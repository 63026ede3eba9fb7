import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#api/db/client.ts';
import { withTimeout } from '#api/db/with-timeout.ts';

/** Every read from the replica contains the changes that were committed longer ago than this. */
export const REPLICA_LAG_MAX_MS = 10_000;
const CHECK_INTERVAL_MS = 2_000;
const CHECK_TIMEOUT_MS = 2_000;

/** The primary's position in the WAL at a time, in bytes. */
type Sample = { atMs: number; written: bigint };

export type Replica = {
  db: Database;
  /** Whether the replica responds and lags by at most `REPLICA_LAG_MAX_MS`. */
  isUsable(): boolean;
  stop(): Promise<void>;
};

type ReplicaOptions = {
  /** Called when `isUsable` changes, and with false if it is false from the start. */
  onChange(isUsable: boolean): void;
  /** A monotonic clock. */
  nowMs?: () => number;
  intervalMs?: number;
};

/**
 * Watches a streaming replica until `stop`, which also closes the connections to it. The lag is measured by comparing the position
 * that the replica has replayed with earlier positions of the primary. Simpler measures fail: the time of the last replayed
 * transaction says nothing while the primary is idle, and a disconnected replica has replayed everything that it has received.
 */
export function watchReplica(
  primary: Database,
  replica: Database,
  { onChange, nowMs = () => performance.now(), intervalMs = CHECK_INTERVAL_MS }: ReplicaOptions,
): Replica {
  let samples: Sample[] = [];
  /** The replica has all changes that were committed before this time. */
  let coveredUntilMs = Number.NEGATIVE_INFINITY;
  let wasUsable: boolean | null = null;
  let checks = 0;
  const stopping = new AbortController();
  const { signal } = stopping;

  const isUsable = () => nowMs() - coveredUntilMs <= REPLICA_LAG_MAX_MS;

  async function check(): Promise<void> {
    const atMs = nowMs();
    const written = await withTimeout(CHECK_TIMEOUT_MS, readWritten(primary)).catch(() => null);
    if (written !== null) samples.push({ atMs, written });
    const replayed = await withTimeout(CHECK_TIMEOUT_MS, readReplayed(replica)).catch(() => null);
    const covered = samples.findLast((sample) => replayed !== null && sample.written <= replayed);
    if (replayed === null) coveredUntilMs = Number.NEGATIVE_INFINITY;
    else if (covered !== undefined) coveredUntilMs = covered.atMs;
    samples = samples.filter((sample) => nowMs() - sample.atMs <= REPLICA_LAG_MAX_MS);
    checks += 1;
    const isUsableNow = isUsable();
    // The first check knows only the newest position, which a replica without a lag may not have replayed yet.
    if (isUsableNow === wasUsable || (!isUsableNow && checks === 1)) return;
    wasUsable = isUsableNow;
    onChange(isUsableNow);
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await check();
      await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const watching = watch();
  return {
    db: replica,
    isUsable,
    stop: async () => {
      stopping.abort();
      await watching;
      await replica.close();
    },
  };
}

async function readWritten({ sql }: Database): Promise<bigint> {
  const [row] = await sql<[{ written: string }]>`
    select (pg_current_wal_lsn() - '0/0')::text as written`;
  return BigInt(row.written);
}

/** Null for a server that is not in recovery, such as one that was promoted: it no longer follows the primary. */
async function readReplayed({ sql }: Database): Promise<bigint | null> {
  const [row] = await sql<[{ replayed: string | null }]>`
    select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as replayed`;
  return row.replayed === null ? null : BigInt(row.replayed);
}
