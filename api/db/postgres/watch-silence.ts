import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type postgres from 'postgres';
import { findDatabaseError } from '#api/db/database-error.ts';
import { createPoolSockets, type PoolSockets } from './pool-sockets.ts';

const INTERVAL_MS = 500;
const RESPONSE_TIMEOUT_MS = 2_000;
/** Errors of a new connection that show that the database cannot be reached. */
const UNREACHABLE_CODES = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT']);

/** Opens a pool of one connection, with these sockets. */
type Open = (sockets: PoolSockets) => postgres.Sql;

/**
 * Cuts all connections of a pool once the database no longer responds, without having closed them: its machine has lost power or
 * the network, or its processes are stopped. Queries would otherwise wait until TCP gives up, after about 15 minutes. If
 * something was sent in an interval but nothing received, a new connection is tried, so that slow statements are not interrupted
 * while new connections receive anything, or fail for a reason that says nothing about open ones. Costs queries nothing. Returns
 * a function that ends it.
 */
export function watchSilence(sockets: PoolSockets, open: Open): () => void {
  let isChecking = false;
  let mustRepeat = false;
  let hasReceived = false;

  async function check(): Promise<void> {
    isChecking = true;
    mustRepeat = false;
    hasReceived = false;
    if (await isSilent(open)) {
      hasReceived ||= sockets.readTraffic().hasReceived;
      if (!hasReceived) sockets.cut();
      // Queries may have been sent after the last bytes were received.
      mustRepeat = hasReceived;
    }
    isChecking = false;
  }

  const timer = setInterval(() => {
    const traffic = sockets.readTraffic();
    if (traffic.hasReceived) hasReceived = true;
    else if ((traffic.hasSent || mustRepeat) && !isChecking) void check();
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Whether a new connection receives nothing in time, or cannot reach the database. Closes it. */
async function isSilent(open: Open): Promise<boolean> {
  const sockets = createPoolSockets();
  const sql = open(sockets);
  const isUnreachable = sql`select 1`.then(
    () => false,
    (error: unknown) => UNREACHABLE_CODES.has(findDatabaseError(error).code),
  );
  const hasFailed = await Promise.race([isUnreachable, sleep(RESPONSE_TIMEOUT_MS, true, { ref: false })]);
  // After a pause of this process, responses may be waiting to be read.
  await turn();
  // Never rejects.
  void sql.end({ timeout: 0 });
  return hasFailed && !sockets.readTraffic().hasReceived;
}
