import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '#api/app.ts';
import { openPostgres } from '#api/db/client.ts';
import type { Deps } from '#api/deps.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import { createFeedBuffer } from '#api/polls/read-feed.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import { type Cut, startDatabaseProxy } from './database-proxy.ts';
import { closeServer } from './proxy.ts';

const CONNECTIONS = 6;

type ServerOptions = {
  databaseUrl: string;
  limits: Limits;
  takeCut(): Cut | null;
};

/**
 * One process of the server, as far as another one can tell: it has connections to the database, buffers and a port of
 * its own, and shares the database and the images.
 */
export type RunningServer = {
  url: string;
  feed: Deps['feed'];
  /** Requests that it works on right now. */
  readonly underWay: number;
  /**
   * Ends it as a kill does: what it works on gets no answer, and its connections to the database break, so that open
   * transactions are rolled back.
   */
  kill(): Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
};

export async function startServer(
  { deps: shared }: TestApp,
  { databaseUrl, limits, takeCut }: ServerOptions,
): Promise<RunningServer> {
  const databaseProxy = await startDatabaseProxy(databaseUrl, takeCut);
  const db = openPostgres(databaseProxy.url, { connections: CONNECTIONS });
  const feed = createFeedBuffer();
  const deps: Deps = {
    ...shared,
    db,
    feed,
    limits,
    keyedMutex: createKeyedMutex(),
    lifecycle: { isStopping: false },
  };
  const app = createApp(deps);
  const underWay = new Set<Promise<unknown>>();
  const fetch: typeof app.fetch = (...args) => {
    const answering = Promise.resolve(app.fetch(...args));
    underWay.add(answering);
    const end = () => underWay.delete(answering);
    answering.then(end, end);
    return answering;
  };
  const server = createServer(getRequestListener(fetch));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    feed,
    get underWay() {
      return underWay.size;
    },
    async stop() {
      await closeServer(server);
      await db.close();
      databaseProxy.abandon();
    },
    async kill() {
      // The code of the dead process is here, but comes no further than its next question to the database.
      databaseProxy.abandon();
      await closeServer(server);
    },
  };
}
