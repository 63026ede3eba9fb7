import type { Limits } from '#api/http/limits/limits.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { Cut } from './database-proxy.ts';
import type { Happenings } from './happenings.ts';
import { type RunningServer, startServer } from './server.ts';

/** A server that is to die at a request does so within this time, while it works on it. */
const DIES_WITHIN_MS = 6;
const PROCESSES = 2;

type ClusterOptions = {
  test: TestApp;
  databaseUrl: string;
  limits: Limits;
  random: () => number;
  happenings: Happenings;
};

/** What happens at a statement that takes effect: its connection breaks, or its process is killed with all of them. */
export type CommitFault = Cut | `kill_${Cut}`;

/** Two processes of the server on one database. */
export type Cluster = {
  /** How many of them requests go to, by chance. */
  processes: 1 | 2;
  /** What happens at the next statements that take effect, in order. */
  cuts: CommitFault[];
  /** Whether what took effect, or did not, may have left files that belong to no poll. */
  mayHaveLeftFiles: boolean;
  /** The address of the process that the next request goes to. */
  route(): string;
  /** At the request of this number from now on its process is killed, while it works on it, and started again. */
  killAtRequest(number: number): void;
  /** Ends a process, the first one unless told otherwise, and starts another in its place. */
  restart(place?: number): Promise<void>;
  /** Ends all processes in good order; `startAll` starts new ones. */
  stopAll(): Promise<void>;
  startAll(): Promise<void>;
  /** Nothing is killed any more; resolves when all processes are there. */
  settle(): Promise<void>;
  dropFeeds(): void;
  stop(): Promise<void>;
};

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { random, happenings } = options;
  const servers: RunningServer[] = [];
  const restarts = new Set<Promise<void>>();
  let isStopped = false;
  let requestsLeft = Number.POSITIVE_INFINITY;

  function takeCut(place: number): Cut | null {
    const fault = cluster.cuts.shift() ?? null;
    if (fault === null) return null;
    cluster.mayHaveLeftFiles = true;
    const cut: Cut = fault.endsWith('before_commit') ? 'before_commit' : 'after_commit';
    if (fault !== cut) {
      void restart(place);
      return cut;
    }
    happenings.note(
      cut === 'before_commit' ? 'a connection broke before a commit' : 'a connection broke after a commit',
    );
    return cut;
  }
  const start = (place: number) => startServer(options.test, { ...options, takeCut: () => takeCut(place) });

  async function restart(place = 0): Promise<void> {
    if (isStopped) return;
    const restarting = replace(place);
    restarts.add(restarting);
    const end = () => restarts.delete(restarting);
    restarting.then(end, end);
    return restarting;
  }

  async function replace(place: number): Promise<void> {
    const dead = servers[place];
    cluster.mayHaveLeftFiles = true;
    if (dead !== undefined && dead.underWay > 0) {
      happenings.note('a server was killed while it worked on something');
    }
    await dead?.kill();
    servers[place] = await start(place);
  }

  const cluster: Cluster = {
    processes: 1,
    cuts: [],
    mayHaveLeftFiles: false,
    route() {
      const place = cluster.processes === 1 || random() < 0.5 ? 0 : 1;
      if (place > 0) happenings.note('two servers took turns');
      requestsLeft -= 1;
      if (requestsLeft === 0) setTimeout(() => void restart(place), random() * DIES_WITHIN_MS);
      return servers[place]?.url ?? '';
    },
    killAtRequest(number) {
      requestsLeft = number;
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
      requestsLeft = Number.POSITIVE_INFINITY;
      while (restarts.size > 0) await Promise.all(restarts);
    },
    dropFeeds() {
      for (const { feed } of servers) feed.drop();
    },
    async stop() {
      isStopped = true;
      await cluster.stopAll();
    },
  };
  await cluster.startAll();
  return cluster;
}
