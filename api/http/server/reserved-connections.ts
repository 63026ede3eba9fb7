import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { readHealth, readReadiness } from '#shared/service/contract.ts';

/** How many connections are accepted above the maximum. */
const RESERVED = 16;
/** A reserved connection is closed after this time, which is longer than probes wait for a response. */
const RESERVED_MAX_MS = 6_000;
const PROBED_PATHS: readonly string[] = [readHealth.path, readReadiness.path, '/metrics'];

/**
 * Limits `server` to `connectionsMax` connections, and a few that only serve the probes of an orchestrator and of monitoring:
 * otherwise an orchestrator would kill a process because many clients are connected. Returns a function that tells whether a
 * request came over one of those few connections and is no probe.
 */
export function reserveConnections(
  server: Server,
  connectionsMax: number,
): (request: IncomingMessage) => boolean {
  let openCount = 0;
  const reserved = new WeakSet<Socket>();
  server.maxConnections = connectionsMax + RESERVED;
  server.on('connection', (socket: Socket) => {
    openCount += 1;
    const isReserved = openCount > connectionsMax;
    if (isReserved) reserved.add(socket);
    const timer = isReserved ? setTimeout(() => socket.destroy(), RESERVED_MAX_MS) : undefined;
    socket.once('close', () => {
      openCount -= 1;
      clearTimeout(timer);
    });
  });
  return ({ socket, url = '' }) => reserved.has(socket) && !PROBED_PATHS.includes(url);
}
