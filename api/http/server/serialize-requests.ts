import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many further requests a client may send on a connection before the response to the first one. Browsers send none. */
export const WAITING_MAX = 8;
/** How long a client may take to read a response, from its first byte: as long as a request may take. */
const READING_MAX_MS = 120_000;
/** A client that reads at least this fast may take longer: an export of many images takes time on a slow line. */
const READ_BYTES_PER_MS_MIN = 16;
/** How many bytes of responses may be unread on all connections together. */
const UNREAD_MAX_BYTES = 256 * 1024 * 1024;
const CHECK_INTERVAL_MS = 2_000;

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse };

/** When the client began to read a response, and how many bytes of the connection it had read before. */
type Reading = { startMs: number; startBytes: number };

/**
 * The requests of a connection: the one that is being handled, and those that wait. `reading` is null until the response has
 * begun.
 */
type Connection = { current: Exchange; reading: Reading | null; waiting: Exchange[] };

/**
 * Passes the requests of each connection to `listener` one after another, each when the previous response has left the process.
 * A client that reads nothing then costs the memory of one response, however many requests it sends. Closes connections with
 * too many waiting requests, and those that do not read a response in time; also those with the most unread bytes, while all
 * connections together have more than `unreadMaxBytes`. `stop` ends the checks.
 */
export function serializeRequests(
  listener: RequestListener,
  {
    readingMaxMs = READING_MAX_MS,
    unreadMaxBytes = UNREAD_MAX_BYTES,
    checkIntervalMs = CHECK_INTERVAL_MS,
  } = {},
): { listener: RequestListener; stop(): void } {
  const connections = new Map<Socket, Connection>();

  function begin(exchange: Exchange, waiting: Exchange[]): void {
    const { incoming, outgoing } = exchange;
    const { socket } = incoming;
    connections.set(socket, { current: exchange, reading: null, waiting });
    outgoing.on('close', () => {
      const next = socket.destroyed ? undefined : waiting.shift();
      if (next === undefined) connections.delete(socket);
      else begin(next, waiting);
    });
    listener(incoming, outgoing);
  }

  function disconnectSlowReaders(): void {
    const nowMs = performance.now();
    for (const [socket, connection] of connections) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      if (connection.current.outgoing.headersSent) {
        connection.reading ??= { startMs: nowMs, startBytes: readBytes };
      }
      if (connection.reading === null) continue;
      const { startMs, startBytes } = connection.reading;
      const allowedMs = readingMaxMs + (readBytes - startBytes) / READ_BYTES_PER_MS_MIN;
      if (nowMs - startMs > allowedMs) socket.destroy();
    }
  }

  function disconnectLargestUnread(): void {
    const sockets = [...connections.keys()].map((socket) => ({ socket, bytes: socket.writableLength }));
    let unreadBytes = sockets.reduce((sum, { bytes }) => sum + bytes, 0);
    if (unreadBytes <= unreadMaxBytes) return;
    for (const { socket, bytes } of sockets.sort((a, b) => b.bytes - a.bytes)) {
      if (unreadBytes <= unreadMaxBytes) return;
      socket.destroy();
      unreadBytes -= bytes;
    }
  }

  const timer = setInterval(() => {
    disconnectSlowReaders();
    disconnectLargestUnread();
  }, checkIntervalMs);
  timer.unref();

  return {
    listener: (incoming, outgoing) => {
      const { socket } = incoming;
      const connection = connections.get(socket);
      // Node may still parse requests that it read before the connection was closed.
      if (socket.destroyed) return;
      if (connection === undefined) begin({ incoming, outgoing }, []);
      else if (connection.waiting.length < WAITING_MAX) connection.waiting.push({ incoming, outgoing });
      else socket.destroy();
    },
    stop: () => clearInterval(timer),
  };
}
