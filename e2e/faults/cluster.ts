import type { Limits } from '#api/http/limits/limits.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { ConnectionBreak } from './database-proxy.ts';
import type { EventCoverage } from './event-coverage.ts';
import { type RunningServer, startServer } from './server.ts';

/** The longest time between a request and the kill of its process. */
const KILL_DELAY_MAX_MS = 6;
const PROCESSES = 2;

type ClusterOptions = {
  test: TestApp;
  databaseUrl: string;
  limits: Limits;
  random: () => number;
  coverage: EventCoverage;
};

/** A fault at a statement that commits a change: its connection breaks, or its process is killed. */
export type CommitFault = ConnectionBreak | `kill_${ConnectionBreak}`;

/** Two server processes on one database. */
export type Cluster = {
  /** How many processes get requests; which of two gets a request is random. */
  processes: 1 | 2;
  /** The faults of the next statements that commit a change, in order. */
  commitFaults: CommitFault[];
  /** Whether a fault may have left image files that no poll references. */
  mayHaveOrphanedFiles: boolean;
  /** The address of the process that gets the next request. */
  route(): string;
  /** Kills and restarts a process during its request, the n-th from now on. */
  killAtRequest(nth: number): void;
  /** Kills a process, by default the first one, and starts another in its place. */
  restart(processIndex?: number): Promise<void>;
  /** Shuts down all processes gracefully; `startAll` starts new ones. */
  stopAll(): Promise<void>;
  startAll(): Promise<void>;
  /** Cancels a pending `killAtRequest`; resolves when all processes run again. */
  settle(): Promise<void>;
  dropListCaches(): void;
  stop(): Promise<void>;
};

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { random, coverage } = options;
  const servers: RunningServer[] = [];
  const restarts = new Set<Promise<void>>();
  let isStopped = false;
  let requestsUntilKill = Number.POSITIVE_INFINITY;

  function nextBreak(processIndex: number): ConnectionBreak | null {
    const fault = cluster.commitFaults.shift() ?? null;
    if (fault === null) return null;
    cluster.mayHaveOrphanedFiles = true;
    const isBefore = fault.endsWith('before_commit');
    const connectionBreak: ConnectionBreak = isBefore ? 'before_commit' : 'after_commit';
    if (fault === connectionBreak) {
      coverage.record(isBefore ? 'a connection broke before a commit' : 'a connection broke after a commit');
    } else {
      // The kill comes too late for this statement, so its connection breaks as well.
      void restart(processIndex);
    }
    return connectionBreak;
  }
  const start = (processIndex: number) =>
    startServer(options.test, { ...options, nextBreak: () => nextBreak(processIndex) });

  async function restart(processIndex = 0): Promise<void> {
    if (isStopped) return;
    const restarting = replace(processIndex);
    restarts.add(restarting);
    const end = () => restarts.delete(restarting);
    restarting.then(end, end);
    return restarting;
  }

  async function replace(processIndex: number): Promise<void> {
    const previous = servers[processIndex];
    cluster.mayHaveOrphanedFiles = true;
    if (previous !== undefined && previous.inFlight > 0) {
      coverage.record('a server was killed during a request');
    }
    await previous?.kill();
    servers[processIndex] = await start(processIndex);
  }

  const cluster: Cluster = {
    processes: 1,
    commitFaults: [],
    mayHaveOrphanedFiles: false,
    route() {
      const processIndex = cluster.processes === 1 || random() < 0.5 ? 0 : 1;
      if (processIndex > 0) coverage.record('the second of two servers got a request');
      requestsUntilKill -= 1;
      if (requestsUntilKill === 0) setTimeout(() => void restart(processIndex), random() * KILL_DELAY_MAX_MS);
      return servers[processIndex]?.url ?? '';
    },
    killAtRequest(nth) {
      requestsUntilKill = nth;
    },
    restart,
    async stopAll() {
      await cluster.settle();
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    },
    async startAll() {
      while (servers.length < PROCESSES) servers.push(await start(servers.length));
    },
    async settle() {
      requestsUntilKill = Number.POSITIVE_INFINITY;
      while (restarts.size > 0) await Promise.all(restarts);
    },
    dropListCaches() {
      for (const { listCache } of servers) listCache.drop();
    },
    async stop() {
      isStopped = true;
      await cluster.stopAll();
    },
  };
  await cluster.startAll();
  return cluster;
}
