import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StartedServer } from '#scripts/run/started-server.ts';

/** A way to the server that can be cut, and that loses answers. */
export type LossyWay = {
  address: string;
  /** From now on nothing arrives any more, or all of it. */
  cut(isCut: boolean): void;
  /** The next answer to `POST path` is lost, after the server has given it. */
  loseAnswerTo(path: string): void;
  /** The keys of what was queued and reached the server at `path`, in order. */
  keysOf(path: string): string[];
  close(): Promise<void>;
};

type Sent = { path: string; key: string };

/** Opens one at a port of its own; to the server its pages are the server's own. */
export async function openLossyWay({ address }: StartedServer): Promise<LossyWay> {
  let isCut = false;
  let lostPath: string | null = null;
  const sent: Sent[] = [];

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(incoming));
    const { connection: _, origin, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const onward = request(address + url, {
      method,
      headers: {
        ...headers,
        host: new URL(address).host,
        ...(origin === undefined ? {} : { origin: address }),
      },
      agent: false,
    });
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const said = Buffer.concat(await Array.fromAsync(answer));
    const key = headers['idempotency-key'];
    if (typeof key === 'string') sent.push({ path: url, key });
    if (method === 'POST' && url === lostPath) {
      lostPath = null;
      outgoing.destroy();
    } else {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(said);
    }
  }

  const way = createServer((incoming, outgoing) => {
    if (isCut) outgoing.destroy();
    else pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
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
    async close() {
      way.closeAllConnections();
      way.close();
      await once(way, 'close');
    },
  };
}
