import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerOptions } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { AppError } from '#api/errors.ts';
import type { Lifecycle } from '#api/http/app-env.ts';
import { toAppError } from '#api/http/error-mapping.ts';
import { createResponseClass } from './app-response.ts';
import { shareConnectionsFairly } from './connection-shares.ts';
import { createLingeringClose } from './lingering-close.ts';
import { reserveConnections } from './reserved-connections.ts';
import { serializeRequests } from './serialize-requests.ts';

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  // How often the two timeouts above are checked.
  connectionsCheckingInterval: 2_000,
};
const HEADERS_MAX_BYTES = 20 * 1024;
/** How long the server still responds, with `Connection: close`, before it closes. */
const CLOSE_DELAY_MS = 1_000;
const FINISH_TIMEOUT_MS = 7_000;
const REFUSAL_LOG_INTERVAL_MS = 60_000;

type HttpServerOptions = {
  log: Logger;
  connectionsMax: number;
  /** Whether clients connect to this server directly, without a proxy. */
  isDirect?: boolean;
  /** The default headers of all responses; names in lower case. */
  headers: Readonly<Record<string, string>>;
  lifecycle: Lifecycle;
  shouldUpgradeCallback: NonNullable<ServerOptions['shouldUpgradeCallback']>;
};

/**
 * Creates the HTTP server that passes requests to `fetch`, with limits on time and memory. Connections above `connectionsMax` are
 * closed, except that a few are open to probes.
 */
export function createHttpServer(
  fetch: Parameters<typeof getRequestListener>[0],
  { log, connectionsMax, isDirect = false, headers, lifecycle, shouldUpgradeCallback }: HttpServerOptions,
) {
  /** Responds to a request that fails before the application handles it, for example because its URL is invalid. */
  const respondToEarlyError = (error: unknown) => {
    const { code, message, status } = toAppError(
      error instanceof RequestError ? new AppError('invalid_input', { cause: error }) : error,
    );
    const requestId = randomUUID();
    if (status >= 500) log.error({ requestId, err: error }, message);
    return Response.json({ message, code, requestId }, { status });
  };
  const requests = serializeRequests(getRequestListener(fetch, { errorHandler: respondToEarlyError }));
  const options = {
    ...TIMEOUTS,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // A request that is not upgraded goes to the listener below, which refuses it only on a reserved connection.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      !isRefused(request) && shouldUpgradeCallback(request),
    ServerResponse: createResponseClass(headers, lifecycle),
  };
  const lingering = createLingeringClose();
  const server = createServer(options, (incoming, outgoing) => {
    if (isRefused(incoming)) {
      logRefusal();
      incoming.socket.destroy();
    } else if (lingering.admit(incoming)) requests.listener(incoming, outgoing);
  });
  const isRefused = reserveConnections(server, connectionsMax);
  if (isDirect) shareConnectionsFairly(server, connectionsMax);
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const logRefusal = () => {
    if (performance.now() - loggedAtMs < REFUSAL_LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.warn({ connectionsMax }, 'Connections are refused: MAX_CONNECTIONS are open');
  };
  server.on('drop', logRefusal);

  return {
    server,

    async listen({ host, port }: { host: string; port: number }): Promise<void> {
      server.listen(port, host);
      await once(server, 'listening');
    },

    /**
     * Closes the server: responds to further requests for a second if connections are open, then accepts no connections, and waits
     * for the running requests. After seven more seconds it disconnects them.
     */
    async finish(): Promise<void> {
      const connections = await new Promise<number>((done) =>
        server.getConnections((_, count) => done(count)),
      );
      if (connections > 0) await sleep(CLOSE_DELAY_MS);
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => server.closeAllConnections(), FINISH_TIMEOUT_MS);
      await closed;
      clearTimeout(timer);
      requests.stop();
    },
  };
}

/** Throws the system's error when nothing can listen at this address. Called at startup before any slow work. */
export async function ensureAddressIsFree({ host, port }: { host: string; port: number }): Promise<void> {
  const probe = createTcpServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
