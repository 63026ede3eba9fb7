import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { networksOf, toNetwork } from '#api/http/client-address.ts';

/** The share of the connections that is kept free. */
const FREE_SHARE = 0.05;
/** A network with at most this share of all connections, or at most `FAIR_MIN`, loses none. */
const FAIR_SHARE = 0.1;
const FAIR_MIN = 64;

/**
 * When nearly all connections are in use, a new one replaces the oldest connection of the network that has the most, if that
 * network exceeds its fair share. So a client that opens thousands from one address locks out only itself. Not for a server
 * behind a proxy, from which all connections come.
 */
export function shareConnectionsFairly(server: EventEmitter, connectionsMax: number): void {
  const fairMax = Math.max(FAIR_MIN, connectionsMax * FAIR_SHARE);
  const openMax = Math.floor(connectionsMax * (1 - FREE_SHARE));
  /** The open connections by network, the oldest first. */
  const byNetwork = new Map<string, Set<Socket>>();
  let openCount = 0;

  server.on('connection', (socket: Socket) => {
    const network = networksOf(toNetwork(socket.remoteAddress ?? '')).at(-1) ?? '';
    const own = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, own.add(socket));
    openCount += 1;
    socket.once('close', () => forget(network, socket));
    if (openCount > openMax) closeOldest();
  });

  function forget(network: string, socket: Socket): void {
    const own = byNetwork.get(network);
    if (!own?.delete(socket)) return;
    openCount -= 1;
    if (own.size === 0) byNetwork.delete(network);
  }

  function closeOldest(): void {
    const [network, sockets] = [...byNetwork].reduce((most, each) =>
      each[1].size > most[1].size ? each : most,
    );
    const [oldest] = sockets;
    if (oldest === undefined || sockets.size <= fairMax) return;
    forget(network, oldest);
    oldest.destroy();
  }
}
