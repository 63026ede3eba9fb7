import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, measureInTurns, type Row, residentBytes } from './load/measurements.ts';
import { median, medianRate } from './load/quantiles.ts';
import { withBun, withListener } from './load/reference-servers.ts';
import { withPostgres } from './load/seed-load.ts';
import { countDeliveries, type Deliveries, withIdleSockets } from './load/sockets.ts';
import { withServer } from './owner-server.ts';

/** Each is an open file; Node and Bun raise their limit of open files to the hard limit (`ulimit -Hn`), which must be higher. */
const SOCKETS = 5_000;
const WARM_UP_SOCKETS = 100;
const SCALE = { users: SOCKETS, polls: 24, votesOfUser: 0 };
const LIVE_SERVER = join(import.meta.dirname, 'load', 'live-server.ts');
const DELIVERIES_TARGET = 0.8;
const MEMORY_MAX_MB = 100;
/** Fewer than for other figures, since a round starts a server, opens all sockets and waits twice. */
const MEMORY_ROUNDS_MAX = 3;
/** Time for session checks and garbage collection after the last socket was opened. */
const SETTLE_MS = 5_000;
const QUICK_SETTLE_MS = 1_000;
const CLIENT_BUSY_MAX = 0.95;

/** Measures messages delivered to many sockets by the live hub, without the rest of the server, against Bun's publish. */
async function benchDeliveries({ rounds, seconds }: BenchOptions): Promise<Row> {
  return withBun((bun) =>
    withListener([process.execPath, LIVE_SERVER], { NODE_ENV: 'production' }, async (liveServer) => {
      const count = (address: string) => () => countDeliveries(address, SOCKETS, seconds);
      const tasks = { bun: count(bun), app: count(liveServer) };
      const results = await measureInTurns<keyof typeof tasks, Deliveries>(tasks, rounds);
      for (const [name, runs] of Object.entries(results)) {
        const busyShare = median(runs.map((result) => result.busyShare));
        if (busyShare > CLIENT_BUSY_MAX)
          console.log(
            `The client was the bottleneck (${name}): it was busy for ${busyShare.toFixed(2)} of the time`,
          );
      }
      const [reference, rate] = [medianRate(results.bun), medianRate(results.app)];
      return {
        metric: 'live updates delivered to 5,000 sockets ÷ Bun’s publish',
        value: `${(rate / 1_000).toFixed(0)} of ${(reference / 1_000).toFixed(0)} thousand/s`,
        comparedValue: rate / reference,
        target: { min: DELIVERIES_TARGET },
      };
    }),
  );
}

const residentMb = async (pid: number) => (await residentBytes(pid)) / 1_000_000;

/** Measures by how much the memory of the server grows when each of 5,000 users opens a socket. */
async function benchMemory({ rounds, isQuick }: BenchOptions): Promise<Row> {
  const settleMs = isQuick ? QUICK_SETTLE_MS : SETTLE_MS;
  return withPostgres(SCALE, async (url) => {
    const measure = () =>
      withServer(
        url,
        async ({ address, pid }) => {
          await withIdleSockets(address, WARM_UP_SOCKETS, () => sleep(settleMs));
          const beforeMb = await residentMb(pid);
          return withIdleSockets(address, SOCKETS, async () => {
            await sleep(settleMs);
            return (await residentMb(pid)) - beforeMb;
          });
        },
        { env: { RATE_LIMITS: 'on' } },
      );
    const { addedMb } = await measureInTurns({ addedMb: measure }, Math.min(rounds, MEMORY_ROUNDS_MAX));
    return {
      metric: 'memory of the server for 5,000 idle sockets, MB',
      value: `${median(addedMb).toFixed(0)} MB`,
      comparedValue: median(addedMb),
      target: { max: MEMORY_MAX_MB },
    };
  });
}

/** Measures live updates to 5,000 open sockets, and the memory of these sockets. */
export async function benchSockets(options: BenchOptions): Promise<Row[]> {
  return [await benchDeliveries(options), await benchMemory(options)];
}
