import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import ece from 'http_ece';
import type { PushMessage, PushSubscriptionInput } from '#shared/notifications/schema.ts';

/** A browser with its keys, as its push service knows it. */
export type FakeBrowser = {
  subscription: PushSubscriptionInput;
  /** The push messages that were sent to it, decrypted. */
  received(): { message: PushMessage; topic: string }[];
};

type Arrival = { path: string; headers: IncomingHttpHeaders; body: Buffer };

export type PushService = {
  origin: string;
  arrivals: Arrival[];
  /** How it responds, by the path of an endpoint; with 201 by default. */
  answers: Map<string, (response: ServerResponse) => unknown>;
  browser(): FakeBrowser;
  close(): Promise<void>;
};

/** Starts a fake push service on a free port of this machine. */
export async function startPushService(): Promise<PushService> {
  const arrivals: Arrival[] = [];
  const answers: PushService['answers'] = new Map();
  const server: Server = createServer(async (request, response) => {
    const path = request.url ?? '';
    arrivals.push({ path, headers: request.headers, body: await buffer(request) });
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(201).end();
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    arrivals,
    answers,
    browser: () => createBrowser(origin, arrivals),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A browser that has subscribed at `origin`. */
export function createBrowser(origin: string, arrivals: readonly Arrival[] = []): FakeBrowser {
  const privateKey = createECDH('prime256v1');
  const p256dh = privateKey.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  const path = `/push/${randomBytes(8).toString('hex')}`;
  return {
    subscription: { endpoint: `${origin}${path}`, keys: { p256dh, auth } },
    received: () =>
      arrivals
        .filter((arrival) => arrival.path === path)
        .map(({ body, headers }) => {
          const text = ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret: auth });
          return { message: JSON.parse(text.toString()), topic: String(headers.topic) };
        }),
  };
}
