import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { networksOf, toNetwork } from '#api/http/client-address.ts';

/** The share of the connections that is kept free. */
const FREE_SHARE = 0.05;
/** A network keeps its connections as long as they are no more than this share of all, or than `FAIR_MIN`. */
const FAIR_SHARE = 0.1;
const FAIR_MIN = 64;

/**
 * When hardly any connection is left, a new one replaces the oldest one of the network with the most, if that has many: whoever opens
 * thousands from one address shuts only themselves out. Not for a server behind a proxy, from which all connections come.
 */
export function shareConnections(server: EventEmitter, connectionsMax: number): void {
  const fairMax = Math.max(FAIR_MIN, connectionsMax * FAIR_SHARE);
  const takenMax = Math.floor(connectionsMax * (1 - FREE_SHARE));
  /** The oldest first. */
  const byNetwork = new Map<string, Set<Socket>>();
  let taken = 0;

  server.on('connection', (socket: Socket) => {
    const network = networksOf(toNetwork(socket.remoteAddress ?? '')).at(-1) ?? '';
    const own = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, own.add(socket));
    taken += 1;
    socket.once('close', () => forget(network, socket));
    if (taken > takenMax) makeRoom();
  });

  function forget(network: string, socket: Socket): void {
    const own = byNetwork.get(network);
    if (!own?.delete(socket)) return;
    taken -= 1;
    if (own.size === 0) byNetwork.delete(network);
  }

  function makeRoom(): void {
    const [network, sockets] = [...byNetwork].reduce((most, each) =>
      each[1].size > most[1].size ? each : most,
    );
    const [oldest] = sockets;
    if (oldest === undefined || sockets.size <= fairMax) return;
    forget(network, oldest);
    oldest.destroy();
  }
}
