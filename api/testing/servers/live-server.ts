import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { createHttpServer } from '#api/http/server/http-server.ts';
import { securityHeaders } from '#api/http/server/security-headers.ts';
import { openSocket } from '#api/live/open-socket.ts';
import { acceptUpgrades, isSocketRequest } from '#api/live/upgrades.ts';
import type { TestApp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import { type LiveMessage, liveMessageSchema } from '#shared/live/schema.ts';
import { afterTests } from './after-tests.ts';

/** A message that a socket received, with the time of its arrival in milliseconds. */
export type ReceivedMessage = LiveMessage & { atMs: number };

export type TestSocket = {
  ws: WebSocket;
  received: ReceivedMessage[];
  /** Resolves with the close code. */
  closed: Promise<number>;
};

/** Opens a socket at `address` with the cookies of `client`. Rejects with `UpgradeFailedError` if the server refuses it. */
export async function connect(
  address: string,
  client: Pick<TestClient, 'cookies'> | null,
  options: { headers?: Record<string, string>; path?: string } = {},
): Promise<TestSocket> {
  const cookie = [...(client?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...options.headers };
  const ws = new WebSocket(`${address.replace('http', 'ws')}${options.path ?? '/ws'}`, { headers });
  const received: ReceivedMessage[] = [];
  ws.on('message', (data) => {
    const message: LiveMessage = JSON.parse(data.toString());
    // Only checked: the result of the parser would lack fields that the server should not send.
    liveMessageSchema.parse(message);
    received.push({ ...message, atMs: performance.now() });
  });
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('unexpected-response', (_, response) => reject(new UpgradeFailedError(response)));
    ws.once('error', reject);
  });
  return { ws, received, closed };
}

/** The error of a connection that got an HTTP response instead of the upgrade to a WebSocket. */
export class UpgradeFailedError extends Error {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    super(`no upgrade, but the status ${response.statusCode}`);
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
  }

  body(): Promise<unknown> {
    return json(this.#response);
  }
}

/** Waits for a connection to fail at the upgrade; throws if it was opened. */
export async function upgradeErrorOf(connecting: Promise<TestSocket>): Promise<UpgradeFailedError> {
  const error: unknown = await connecting.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UpgradeFailedError)) throw new Error(`no UpgradeFailedError: ${error}`);
  return error;
}

/** The messages of one type that a socket received, in order. */
export function receivedOf<Type extends ReceivedMessage['type']>({ received }: TestSocket, type: Type) {
  return received.filter(
    (message): message is Extract<ReceivedMessage, { type: Type }> => message.type === type,
  );
}

export function receivedTypes({ received }: TestSocket): string[] {
  return received.map(({ type }) => type);
}

/**
 * Serves `app` on a real HTTP server until the file's tests, or the test that calls it, have ended. Then `app` has no live updates
 * any more. Returns its address.
 */
export async function serveLive({ app, deps }: TestApp): Promise<string> {
  const headers = securityHeaders(deps.env);
  const { server, ...http } = createHttpServer(app.fetch, {
    log: deps.log,
    connectionsMax: deps.env.connectionsMax,
    headers,
    lifecycle: deps.lifecycle,
    shouldUpgradeCallback: isSocketRequest,
  });
  acceptUpgrades(server, app.fetch, {
    headers,
    open: (...connected) => openSocket(deps, ...connected),
    onError: (error) => {
      throw error;
    },
  });
  await http.listen({ host: '127.0.0.1', port: 0 });
  afterTests(async () => {
    await deps.live.stop();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
