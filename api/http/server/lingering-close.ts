import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Long enough for a phone to read the response, and much shorter than a request may take. */
const LINGERING_MAX_MS = 2_000;
/** More than the form of a new poll, so that a client that sends all of it before reading anything still gets the response. */
const DISCARDED_MAX_BYTES = 32 * 1024 * 1024;
/** Further connections are closed at once, which bounds what the server reads only to discard. */
const CONNECTIONS_MAX = 64;

const CHECK_INTERVAL_MS = 50;

/**
 * Whether the body of a request has not arrived completely. False for a request without a body, although Node sets its `complete`
 * only after the listener has returned.
 */
export function isBodyUnread(incoming: IncomingMessage | undefined): boolean {
  if (incoming === undefined || incoming.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

type Bounds = { lingeringMaxMs?: number; discardedMaxBytes?: number; connectionsMax?: number };

/**
 * Lets a client see the response to a request whose body is not read to its end. If the connection were closed while the client
 * is still sending, its system would drop the response. So the server closes only its own half, and discards what arrives for a
 * short while.
 *
 * Call `admit` with each request before it is handled. If it returns false, the connection is being closed, and the request must
 * not be handled.
 */
export function createLingeringClose({
  lingeringMaxMs = LINGERING_MAX_MS,
  discardedMaxBytes = DISCARDED_MAX_BYTES,
  connectionsMax = CONNECTIONS_MAX,
}: Bounds = {}) {
  const lingering = new Set<Socket>();
  /** The last request of each connection. */
  const requests = new WeakMap<Socket, IncomingMessage>();

  function linger(socket: Socket, incoming: IncomingMessage, closeNow: () => void): void {
    lingering.add(socket);
    // Node calls `destroySoon` again when the response has ended, and must not close the socket then.
    socket.destroySoon = () => {};
    const startBytes = socket.bytesRead;
    const startMs = performance.now();
    const timer = setInterval(() => {
      const isOver = performance.now() - startMs > lingeringMaxMs;
      if (isOver || socket.bytesRead - startBytes > discardedMaxBytes) socket.destroy();
    }, CHECK_INTERVAL_MS);
    socket.once('close', () => {
      clearInterval(timer);
      lingering.delete(socket);
    });
    // The `data` listener of a handler that has stopped reading would pause the request at each chunk.
    incoming.removeAllListeners('data');
    incoming.once('end', closeNow);
    incoming.resume();
    socket.end();
  }

  return {
    admit(incoming: IncomingMessage): boolean {
      const { socket } = incoming;
      if (lingering.has(socket)) {
        socket.destroy();
        return false;
      }
      const isNew = !requests.has(socket);
      requests.set(socket, incoming);
      if (!isNew) return true;
      const closeNow = socket.destroySoon.bind(socket);
      // Node calls `destroySoon` after a response with `Connection: close`.
      socket.destroySoon = () => {
        const lastRequest = requests.get(socket);
        const isUnread = lastRequest !== undefined && !lastRequest.complete && !socket.destroyed;
        if (isUnread && lingering.size < connectionsMax) linger(socket, lastRequest, closeNow);
        else closeNow();
      };
      return true;
    },
    /** The number of connections that linger. */
    count: () => lingering.size,
  };
}
