import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type RawData, WebSocket } from 'ws';
import type { SocketOpener } from '#api/http/app-env.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import { logSecurityEvent } from '#api/http/logging/security-events.ts';
import { SOCKET_CLOSE_CODES } from '#shared/live/constants.ts';
import { type Ping, type Pong, pingSchema } from '#shared/live/schema.ts';
import type { LiveHub, LiveSocket } from './live-hub.ts';

/** How long the peer may take to respond to the close frame. */
const CLOSE_TIMEOUT_MS = 500;

let socketsOpened = 0;

/**
 * Adds an accepted socket to the hub and answers its pings. The hub passes encoded frames (see `textFrame`), which are written
 * to `connection`, the stream below `ws`. Closes with 1008 when the peer sends anything else, or too many messages, which is a
 * security event.
 */
export function openSocket(
  { live, limits, log }: { live: LiveHub; limits: Limits; log: Logger },
  { client, requestId, ...opener }: SocketOpener,
  ws: WebSocket,
  connection: Duplex,
): void {
  socketsOpened += 1;
  const id = socketsOpened;
  let isPongDue = false;
  const socket: LiveSocket = {
    ...opener,
    lastSeenMs: performance.now(),
    closed: new Promise((resolve) => ws.once('close', () => resolve())),
    bufferedBytes: () => connection.writableLength,
    write(frames) {
      if (ws.readyState === WebSocket.OPEN) connection.write(frames);
    },
    ping() {
      if (ws.readyState !== WebSocket.OPEN) return;
      isPongDue = true;
      ws.ping();
    },
    close(code, reason) {
      live.remove(socket);
      ws.close(code, reason);
      setTimeout(() => ws.terminate(), CLOSE_TIMEOUT_MS).unref();
    },
    terminate() {
      live.remove(socket);
      ws.terminate();
    },
  };

  /** Counts a received message, and closes a socket that sends too many. Returns whether the socket is still open. */
  async function admitMessage(): Promise<boolean> {
    socket.lastSeenMs = performance.now();
    if (ws.readyState !== WebSocket.OPEN) return false;
    const isWithinLimit = await limits.messagesOfSocket.tryTake(id);
    // Concurrent messages may have closed the socket.
    if (ws.readyState !== WebSocket.OPEN) return false;
    if (!isWithinLimit) {
      socket.close(SOCKET_CLOSE_CODES.POLICY_VIOLATION, 'Too many messages');
      const { userId } = opener;
      const event = { event: 'socket_closed', outcome: 'rate_limited', userId, client } as const;
      logSecurityEvent(log.child({ requestId }), event);
    }
    return isWithinLimit;
  }

  ws.on('message', async (data, isBinary) => {
    if (!(await admitMessage())) return;
    const ping = isBinary ? null : readPing(data);
    if (ping === null) return socket.close(SOCKET_CLOSE_CODES.POLICY_VIOLATION, 'Unknown message');
    const pong: Pong = { type: 'pong', timestamp: ping.timestamp, serverTime: Date.now() };
    ws.send(JSON.stringify(pong));
  });
  ws.on('ping', admitMessage);
  ws.on('pong', () => {
    // Pongs that were not requested count as messages.
    if (isPongDue) socket.lastSeenMs = performance.now();
    else void admitMessage();
    isPongDue = false;
  });
  ws.on('close', () => live.remove(socket));
  // `ws` closes invalid or oversized frames itself.
  ws.on('error', () => {});
  live.add(socket);
}

/** The ping in a message; null for any other message. */
function readPing(data: RawData): Ping | null {
  try {
    return pingSchema.parse(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}
