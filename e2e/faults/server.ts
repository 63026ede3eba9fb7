import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '#api/app.ts';
import { openPostgres } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import { createListCache } from '#api/polls/read-feed.ts';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import { type ConnectionBreak, startDatabaseProxy } from './database-proxy.ts';

const CONNECTIONS = 6;

type ServerOptions = {
  databaseUrl: string;
  limits: Limits;
  nextBreak(): ConnectionBreak | null;
};

/**
 * A simulated process of the server: it has its own database connections, cache of lists and port, and shares the database
 * and the images with the others.
 */
export type RunningServer = {
  url: string;
  listCache: Deps['listCache'];
  /** The number of requests in flight. */
  readonly inFlight: number;
  /**
   * Simulates `kill -9`: requests in flight get no response, and the database connections break, so that open
   * transactions are rolled back.
   */
  kill(): Promise<void>;
  /** Shuts the process down gracefully. */
  stop(): Promise<void>;
};

export async function startServer(
  { deps: shared }: TestApp,
  { databaseUrl, limits, nextBreak }: ServerOptions,
): Promise<RunningServer> {
  const databaseProxy = await startDatabaseProxy(databaseUrl, nextBreak);
  const db = openPostgres(databaseProxy.url, { connections: CONNECTIONS });
  const listCache = createListCache();
  const deps: Deps = {
    ...shared,
    db,
    listCache,
    limits,
    keyedMutex: createKeyedMutex(),
    lifecycle: { isStopping: false },
  };
  const app = createApp(deps);
  const inFlight = new Set<Promise<unknown>>();
  const fetch: typeof app.fetch = (...args) => {
    const responding = Promise.resolve(app.fetch(...args));
    inFlight.add(responding);
    const end = () => inFlight.delete(responding);
    responding.then(end, end);
    return responding;
  };
  const server = createServer(getRequestListener(fetch));
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    listCache,
    get inFlight() {
      return inFlight.size;
    },
    async stop() {
      await closeServer(server);
      await db.close();
      databaseProxy.abandon();
    },
    async kill() {
      // The code of the killed process still runs in this one, but its next query has no effect: it fails after a while, or never returns.
      databaseProxy.abandon();
      await closeServer(server);
    },
  };
}
