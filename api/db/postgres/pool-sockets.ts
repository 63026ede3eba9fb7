import { Socket } from 'node:net';

/** The driver's options that say where to connect. Several hosts are tried in turn. */
type Target = { host: string[]; port: number[]; path?: string | false };

/**
 * The sockets of a pool. One that the server closes fails with `ECONNRESET`: of an end without an error before the first answer
 * (a proxy without a server behind it) the driver tells nobody, and connects again and again while the query waits.
 */
export function createPoolSockets() {
  const sockets = new Set<Socket>();
  let count = 0;
  return {
    connect({ host, port, path }: Target): Socket {
      for (const socket of sockets) if (socket.destroyed) sockets.delete(socket);
      const nth = count++ % host.length;
      // The driver compares the certificate with the host of the socket.
      const socket = Object.assign(new Socket(), { host: host[nth] ?? '' });
      sockets.add(socket);
      socket.once('end', destroyAtEnd);
      if (path) return socket.connect(path);
      return socket.connect(port[nth] ?? 0, socket.host);
    },
    /** Cuts all connections; what is under way fails with `CONNECTION_CLOSED`, and later queries connect anew. */
    cut(): void {
      for (const socket of sockets) {
        // Under TLS the driver has taken all listeners away. TLS would hear of the end of its socket a moment later, and what the
        // driver writes until then would fail after that end, when nobody handles errors any more. Told now, it ends both.
        if (!socket.listeners('end').includes(destroyAtEnd)) socket.emit('close');
        socket.destroy();
      }
      sockets.clear();
    },
  };
}

/**
 * Without an error the driver would go on connecting for ever to a server that closes each connection at once. Later an error
 * would come before the end of the connection, and the driver would forget what it is asked in between.
 */
function destroyAtEnd(this: Socket): void {
  const error = Object.assign(new Error('The database closed the connection.'), { code: 'ECONNRESET' });
  this.destroy(this.bytesRead === 0 ? error : undefined);
}
