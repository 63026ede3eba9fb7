import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import ece from 'http_ece';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';
import type { PushMessage, PushSubscriptionInput } from '#shared/notifications/schema.ts';

/** A fake browser with a push subscription and the keys that decrypt its messages. */
export type FakeBrowser = {
  subscription: PushSubscriptionInput;
  /** The push messages sent to this subscription, decrypted. */
  received(): { message: PushMessage; topic: string }[];
};

type PushRequest = { path: string; headers: IncomingHttpHeaders; body: Buffer };

export type PushService = {
  origin: string;
  requests: PushRequest[];
  /** Writes the response to a request, by the path of the endpoint; other endpoints respond with 201. */
  responders: Map<string, (response: ServerResponse) => unknown>;
  browser(): FakeBrowser;
  close(): Promise<void>;
};

/** Starts a fake push service on a free port of this machine. */
export async function startPushService(): Promise<PushService> {
  const requests: PushRequest[] = [];
  const responders: PushService['responders'] = new Map();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers, body: await buffer(request) });
    const respond = responders.get(path);
    if (respond === undefined) response.writeHead(201).end();
    else respond(response);
  });
  const origin = `http://127.0.0.1:${await listenLocally(server)}`;
  return {
    origin,
    requests,
    responders,
    browser: () => createBrowser(origin, requests),
    close: () => closeServer(server),
  };
}

/** Creates a fake browser whose endpoint is at `origin`. `requests`: all requests to that push service. */
export function createBrowser(origin: string, requests: readonly PushRequest[] = []): FakeBrowser {
  const privateKey = createECDH('prime256v1');
  const p256dh = privateKey.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  const path = `/push/${randomBytes(8).toString('hex')}`;
  return {
    subscription: { endpoint: `${origin}${path}`, keys: { p256dh, auth } },
    received: () =>
      requests
        .filter((request) => request.path === path)
        .map(({ body, headers }) => {
          const text = ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret: auth });
          return { message: JSON.parse(text.toString()), topic: String(headers.topic) };
        }),
  };
}
