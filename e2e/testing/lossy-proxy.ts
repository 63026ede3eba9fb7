import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { BatchInput } from '#shared/batch.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { asNextBuild, currentPath } from './next-build.ts';

/** A proxy in front of a server that can go offline, and lose or hold back responses. */
export type LossyProxy = {
  address: string;
  /** Refuses connections until `goOnline`. */
  goOffline(): void;
  goOnline(): void;
  /** Loses the next response to `POST path`, after the server has processed the request. */
  loseResponseTo(path: string): void;
  /** The idempotency keys of the requests that reached the server at `path`, in a batch or not, in order. */
  keysOf(path: string): string[];
  /** Holds back responses to all requests to `path` until the returned function is called. */
  holdResponsesTo(path: string): () => void;
  /** Serves the app as a new build from now on. */
  deploy(): void;
  close(): Promise<void>;
};

type SentKey = { path: string; key: string };

/** Starts a proxy on a free port. It replaces the `Origin` of requests by the server's, since the server refuses other origins. */
export async function startLossyProxy({ address }: StartedServer): Promise<LossyProxy> {
  let isOffline = false;
  let lostPath: string | null = null;
  let isDeployed = false;
  const releasedByPath = new Map<string, Promise<void>>();
  const sent: SentKey[] = [];

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // The response belongs to the build that was deployed when the request came.
    const isNextBuild = isDeployed;
    const sentBody = Buffer.concat(await Array.fromAsync(incoming));
    const { connection: _connection, origin, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const path = isNextBuild ? currentPath(url) : url;
    if (path === null) {
      outgoing.writeHead(404).end();
      return;
    }
    const forwarded = request(address + path, {
      method,
      headers: {
        ...headers,
        host: new URL(address).host,
        ...(origin === undefined ? {} : { origin: address }),
        // The next build is made from the text of the response, which has to be complete and uncompressed.
        ...(isNextBuild ? { 'accept-encoding': 'identity', 'if-none-match': '' } : {}),
      },
      agent: false,
    });
    forwarded.end(sentBody);
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await Array.fromAsync(response));
    const key = headers['idempotency-key'];
    if (typeof key === 'string') sent.push({ path: url, key });
    if (url === sendBatch.path) {
      const { requests }: BatchInput = JSON.parse(sentBody.toString());
      sent.push(...requests);
    }
    if (method === 'POST' && url === lostPath) {
      lostPath = null;
      outgoing.destroy();
      return;
    }
    await releasedByPath.get(url);
    const type = response.headers['content-type'] ?? '';
    const isApp = isNextBuild && /^text\/(html|javascript|css)/.test(type);
    const { 'content-length': _length, etag: _etag, ...rest } = response.headers;
    outgoing.writeHead(response.statusCode ?? 502, isApp ? rest : response.headers);
    outgoing.end(isApp ? asNextBuild(url, body.toString()) : body);
  }

  const proxy = createServer((incoming, outgoing) => {
    if (isOffline) outgoing.destroy();
    else forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Like many proxies, this one does not support WebSockets.
  proxy.on('upgrade', (_, socket) => socket.destroy());
  proxy.listen(0);
  await once(proxy, 'listening');
  return {
    address: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    goOffline() {
      isOffline = true;
      proxy.closeAllConnections();
    },
    goOnline() {
      isOffline = false;
    },
    loseResponseTo(path) {
      lostPath = path;
    },
    keysOf: (path) => sent.filter((request) => request.path === path).map(({ key }) => key),
    holdResponsesTo(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      releasedByPath.set(path, promise);
      return () => {
        releasedByPath.delete(path);
        resolve();
      };
    },
    deploy() {
      isDeployed = true;
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
