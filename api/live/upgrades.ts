import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AppEnv, SocketOpener } from '#api/http/app-env.ts';
import { LIVE_PATH } from '#shared/live/constants.ts';

const MESSAGE_MAX_BYTES = 4 * 1024;

type Fetch = (request: Request, bindings: AppEnv['Bindings']) => Response | Promise<Response>;

type OpenSocket = (opener: SocketOpener, ws: WebSocket, connection: Duplex) => void;

/** For the server's `shouldUpgradeCallback`: other requests with an upgrade header get an ordinary response. */
export function isSocketRequest({ headers, url }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?', 1)[0] === LIVE_PATH;
}

/**
 * Passes the request of each upgrade to the application. If the application accepts, the socket is passed to `open`; otherwise
 * its response is sent with `headers`, and the connection is closed.
 */
export function acceptUpgrades(
  server: Server,
  fetch: Fetch,
  options: { headers: Readonly<Record<string, string>>; open: OpenSocket; onError(error: unknown): void },
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.on('upgrade', (incoming, connection, head) => {
    connection.on('error', () => connection.destroy());
    upgrade(incoming, connection, head).catch((error: unknown) => {
      options.onError(error);
      connection.destroy();
    });
  });

  async function upgrade(incoming: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    let opener: SocketOpener | null = null;
    const accept = (socketOpener: SocketOpener) => {
      opener = socketOpener;
    };
    const response = await fetch(toRequest(incoming), { incoming, accept });
    if (opener === null) return sendResponse(connection, response, options.headers);
    const accepted = opener;
    sockets.handleUpgrade(incoming, connection, head, (ws) => options.open(accepted, ws, connection));
  }
}

function toRequest(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return new Request(new URL(incoming.url ?? '', 'http://localhost'), { headers });
}

async function sendResponse(
  connection: Duplex,
  response: Response,
  defaultHeaders: Readonly<Record<string, string>>,
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(defaultHeaders))
    if (!headers.has(name)) headers.set(name, value);
  headers.set('Connection', 'close');
  headers.set('Content-Length', String(body.length));
  headers.set('Date', new Date().toUTCString());
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`, ...lines, '', ''];
  connection.once('finish', () => connection.destroy());
  connection.end(Buffer.concat([Buffer.from(head.join('\r\n')), body]));
}
