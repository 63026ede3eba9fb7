import { Socket } from 'node:net';

/** The driver's options for the address to connect to. Several hosts are tried in turn. */
type Target = { host: string[]; port: number[]; path?: string | false };

export type PoolSockets = ReturnType<typeof createPoolSockets>;

/** Creates the sockets of a pool. When the server ends one, `destroyAtEnd` runs; under TLS only until the handshake (see `cut`). */
export function createPoolSockets() {
  /** With the traffic until the latest call of `readTraffic`. */
  const sockets = new Map<Socket, { received: number; sent: number }>();
  let created = 0;
  return {
    connect({ host, port, path }: Target): Socket {
      for (const other of sockets.keys()) if (other.destroyed) sockets.delete(other);
      const index = created++ % host.length;
      // The driver compares the certificate with the host of the socket.
      const socket = Object.assign(new Socket(), { host: host[index] ?? '' });
      sockets.set(socket, { received: 0, sent: 0 });
      socket.once('end', destroyAtEnd);
      if (path) return socket.connect(path);
      return socket.connect(port[index] ?? 0, socket.host);
    },
    /**
     * Whether anything was sent or received since the previous call, apart from connections on which nothing was ever received:
     * the driver has a timeout for these.
     */
    readTraffic(): { hasSent: boolean; hasReceived: boolean } {
      const traffic = { hasSent: false, hasReceived: false };
      for (const [{ bytesRead, bytesWritten }, counted] of sockets) {
        if (bytesRead === 0) continue;
        if (bytesRead > counted.received) traffic.hasReceived = true;
        if (bytesWritten > counted.sent) traffic.hasSent = true;
        counted.received = bytesRead;
        counted.sent = bytesWritten;
      }
      return traffic;
    },
    /** Cuts all connections. Running queries fail with `CONNECTION_CLOSED`, and later queries open new connections. */
    cut(): void {
      for (const socket of sockets.keys()) {
        // Under TLS the driver has removed all listeners, including `destroyAtEnd`, and listens to the TLS socket above this one.
        // The TLS socket would notice the end only a moment later; what the driver wrote until then would fail with an error that
        // nothing handles. The `close` event ends the TLS socket at once, too.
        if (!socket.listeners('end').includes(destroyAtEnd)) socket.emit('close');
        socket.destroy();
      }
      sockets.clear();
    },
  };
}

/**
 * Destroys the socket, with an error only if nothing was received yet. Without that error, the driver would reconnect again and
 * again, while the query waits, to a server that closes each connection at once, such as a proxy without a server behind it.
 * After the first byte there is no error: the driver would see it before the end of the connection, and would lose every query
 * that it got between the two.
 */
function destroyAtEnd(this: Socket): void {
  const error = Object.assign(new Error('The database closed the connection.'), { code: 'ECONNREFUSED' });
  this.destroy(this.bytesRead === 0 ? error : undefined);
}
