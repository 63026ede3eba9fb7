import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import type { SocketOwner } from '#api/http/app-env.ts';
import type { Limits } from '#api/http/limits/limits.ts';
import { CLOSE_CODES } from '#shared/live/constants.ts';
import { type Ping, type Pong, pingSchema } from '#shared/live/schema.ts';
import type { LiveHub, LiveSocket } from './live-hub.ts';

/** How long the peer has to close in its turn. */
const CLOSING_MS = 500;

let socketsOpened = 0;

/**
 * Takes an accepted socket into the hub and answers its pings. `connection` is what lies below it: frames that
 * many sockets share are written there. Whoever sends anything else, or too much, is closed with 1008.
 */
export function openSocket(
  { live, limits }: { live: LiveHub; limits: Limits },
  owner: SocketOwner,
  ws: WebSocket,
  connection: Duplex,
): void {
  socketsOpened += 1;
  const id = socketsOpened;
  let isPongDue = false;
  const socket: LiveSocket = {
    ...owner,
    heardMs: performance.now(),
    gone: new Promise((resolve) => ws.once('close', () => resolve())),
    unreadBytes: () => connection.writableLength,
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
      setTimeout(() => ws.terminate(), CLOSING_MS).unref();
    },
    cut() {
      live.remove(socket);
      ws.terminate();
    },
  };

  /** Whether what was received counts: the socket is open and has not sent too much. */
  async function hear(): Promise<boolean> {
    socket.heardMs = performance.now();
    if (ws.readyState !== WebSocket.OPEN) return false;
    if (!(await limits.messagesOfSocket.tryTake(id))) socket.close(CLOSE_CODES.POLICY, 'Too many messages');
    return ws.readyState === WebSocket.OPEN;
  }

  ws.on('message', async (data, isBinary) => {
    if (!(await hear())) return;
    const ping = isBinary ? null : readPing(data);
    if (ping === null) return socket.close(CLOSE_CODES.POLICY, 'That is no message of ours');
    const pong: Pong = { type: 'pong', timestamp: ping.timestamp, serverTime: Date.now() };
    ws.send(JSON.stringify(pong));
  });
  ws.on('ping', hear);
  ws.on('pong', () => {
    // The answer to a ping of ours is free; nobody asked for any other.
    if (isPongDue) socket.heardMs = performance.now();
    else void hear();
    isPongDue = false;
  });
  ws.on('close', () => live.remove(socket));
  // Too large, no UTF-8, a broken frame: `ws` closes by itself and says why.
  ws.on('error', () => {});
  live.add(socket);
}

/** Null for anything that is no ping. */
function readPing(data: RawData): Ping | null {
  try {
    return pingSchema.parse(JSON.parse(data.toString()));
  } catch {
    return null;
  }
}
