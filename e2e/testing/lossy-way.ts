import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { BatchInput } from '#shared/batch.ts';
import { sendBatch } from '#shared/service/contract.ts';
import { asNextBuild, presentPath } from './next-build.ts';

/** A way to the server that can be cut, and that loses answers. */
export type LossyWay = {
  address: string;
  /** From now on nothing arrives any more, or all of it. */
  cut(isCut: boolean): void;
  /** The next answer to `POST path` is lost, after the server has given it. */
  loseAnswerTo(path: string): void;
  /** The keys of what was queued and reached the server at `path`, in order. */
  keysOf(path: string): string[];
  /** Answers to `POST path` are held back until the returned function is called. */
  holdAnswersTo(path: string): () => void;
  /** From now on the app is that of the next build. */
  deploy(): void;
  close(): Promise<void>;
};

type Sent = { path: string; key: string };

/** Opens one at a port of its own; to the server its pages are the server's own. */
export async function openLossyWay({ address }: StartedServer): Promise<LossyWay> {
  let isCut = false;
  let lostPath: string | null = null;
  let isNext = false;
  const held = new Map<string, Promise<void>>();
  const sent: Sent[] = [];

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // A deployment in the middle of it changes nothing.
    const isOfNext = isNext;
    const sentBody = Buffer.concat(await Array.fromAsync(incoming));
    const { connection: _connection, origin, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const path = isOfNext ? presentPath(url) : url;
    if (path === null) {
      outgoing.writeHead(404).end();
      return;
    }
    const onward = request(address + path, {
      method,
      headers: {
        ...headers,
        host: new URL(address).host,
        ...(origin === undefined ? {} : { origin: address }),
        ...(isOfNext ? { 'accept-encoding': 'identity', 'if-none-match': '' } : {}),
      },
      agent: false,
    });
    onward.end(sentBody);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await Array.fromAsync(answer));
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
    await held.get(url);
    const type = answer.headers['content-type'] ?? '';
    const isApp = isOfNext && /^text\/(html|javascript|css)/.test(type);
    const { 'content-length': _length, etag: _etag, ...said } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, isApp ? said : answer.headers);
    outgoing.end(isApp ? asNextBuild(url, body.toString()) : body);
  }

  const way = createServer((incoming, outgoing) => {
    if (isCut) outgoing.destroy();
    else pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Sockets do not get through, as through many a proxy.
  way.on('upgrade', (_, socket) => socket.destroy());
  way.listen(0);
  await once(way, 'listening');
  return {
    address: `http://localhost:${(way.address() as AddressInfo).port}`,
    cut(next) {
      isCut = next;
      if (isCut) way.closeAllConnections();
    },
    loseAnswerTo(path) {
      lostPath = path;
    },
    keysOf: (path) => sent.filter((each) => each.path === path).map(({ key }) => key),
    holdAnswersTo(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    deploy() {
      isNext = true;
    },
    async close() {
      way.closeAllConnections();
      way.close();
      await once(way, 'close');
    },
  };
}
