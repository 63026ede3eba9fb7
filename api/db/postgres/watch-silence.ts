import { setImmediate as turn } from 'node:timers/promises';
import postgres from 'postgres';
import { withTimeout } from '#api/db/with-timeout.ts';
import type { PoolSockets } from './pool-sockets.ts';

const INTERVAL_MS = 500;
const RESPONSE_TIMEOUT_MS = 2_000;

/**
 * Cuts all connections of a pool once the database no longer responds, without having closed them: its machine has lost power or
 * the network, or its processes are stopped. Queries would otherwise wait until TCP gives up, after about 15 minutes. If
 * something was sent in an interval but nothing received, a new connection (`open`) is tried, so that slow statements are not
 * interrupted while the database responds. Costs queries nothing. Returns a function that ends it.
 */
export function watchSilence(sockets: PoolSockets, open: () => postgres.Sql): () => void {
  let isChecking = false;
  let hasReceived = false;

  async function check(): Promise<void> {
    isChecking = true;
    hasReceived = false;
    if (!(await responds(open()))) {
      // After a pause of this process, responses may be waiting to be read.
      await turn();
      if (!hasReceived && !sockets.readTraffic().hasReceived) sockets.cut();
    }
    isChecking = false;
  }

  const timer = setInterval(() => {
    const traffic = sockets.readTraffic();
    if (traffic.hasReceived) hasReceived = true;
    else if (traffic.hasSent && !isChecking) void check();
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Whether the database responds on this new connection, if only with an error. Closes it. */
async function responds(sql: postgres.Sql): Promise<boolean> {
  try {
    await withTimeout(RESPONSE_TIMEOUT_MS, sql`select 1`);
    return true;
  } catch (error) {
    return error instanceof postgres.PostgresError;
  } finally {
    // Never rejects.
    void sql.end({ timeout: 0 });
  }
}
