import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { loadTestUser } from './load-ids.ts';
import type { SocketReport } from './sockets.ts';
import { voteEvent } from './vote-event.ts';

// The entry point of a client process: opens WebSockets as users of the load scripts, requests messages and counts those
// delivered. Arguments: address, number of sockets, seconds (0: only keeps them open). It parses frames itself, from one shared
// buffer: with a WebSocket library it would be slower than the server.

const CONCURRENT_OPENINGS = 100;
const READ_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const TEXT_FRAME = 0x81;
const PAYLOAD_BYTES = JSON.stringify(voteEvent(0)).length;
/** The header of an unmasked frame has two bytes if its payload is shorter than 126. */
const FRAME_BYTES = 2 + PAYLOAD_BYTES;
/** The maximum of messages in flight to a socket: more than are sent in one write, but fewer than would fill its buffers. */
const IN_FLIGHT_MAX = 384;
/** More than the 32 messages of a topic that Bun sends together. */
const MESSAGES_PER_REQUEST = 64;
const WARM_UP_MS = 1_000;

const [address = '', sockets = 0, seconds = 0] = process.argv
  .slice(2)
  .map((argument, index) => (index === 0 ? argument : Number(argument))) as [string, number, number];
const { hostname, port, host } = new URL(address);
const buffer = Buffer.alloc(READ_BYTES);
let delivered = 0;

/** Opens a WebSocket as the user with this index; resolves when the server has accepted it. */
function open(index: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let isOpen = false;
  /** The offset of the next frame in the next read. */
  let frameOffset = 0;
  const readHead = (bytes: number) => {
    const text = buffer.toString('latin1', 0, bytes);
    if (!text.startsWith('HTTP/1.1 101') || !text.endsWith(HEAD_END))
      reject(new Error(`The upgrade was refused: ${text}`));
    isOpen = true;
    resolve(socket);
  };
  const countFrames = (bytes: number) => {
    let offset = frameOffset;
    for (; offset < bytes; offset += FRAME_BYTES) {
      if (buffer[offset] !== TEXT_FRAME) throw new Error('Unexpected frame');
      delivered += 1;
    }
    frameOffset = offset - bytes;
  };
  const callback = (bytes: number) => {
    if (!isOpen) readHead(bytes);
    else if (seconds > 0) countFrames(bytes);
    return true;
  };
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
  socket.on('error', reject);
  socket.on('close', () => {
    throw new Error('The server has closed a socket');
  });
  socket.write(
    `GET ${LIVE_PATH} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${address}\r\nCookie: sid=${loadTestUser(index).token}\r\n` +
      `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('sixteen bytes...')}${HEAD_END}`,
  );
  return promise;
}

/** Requests as many messages as the server can deliver, and measures the rate of delivery. */
async function measure(): Promise<{ perSecond: number; busyShare: number }> {
  let published = 0;
  const load = async (durationMs: number) => {
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      if (published - delivered / sockets > IN_FLIGHT_MAX) {
        await sleep(1);
        continue;
      }
      const query = `from=${published}&to=${published + MESSAGES_PER_REQUEST}`;
      await fetch(`${address}/publish?${query}`, { method: 'POST' });
      published += MESSAGES_PER_REQUEST;
    }
  };
  await load(WARM_UP_MS);
  const [startMs, startDelivered, startUse] = [
    performance.now(),
    delivered,
    performance.eventLoopUtilization(),
  ];
  await load(seconds * 1_000);
  return {
    perSecond: ((delivered - startDelivered) / (performance.now() - startMs)) * 1_000,
    busyShare: performance.eventLoopUtilization(startUse).utilization,
  };
}

const opened: Socket[] = [];
while (opened.length < sockets) {
  const count = Math.min(CONCURRENT_OPENINGS, sockets - opened.length);
  opened.push(
    ...(await Promise.all(Array.from({ length: count }, (_, index) => open(opened.length + index)))),
  );
}
const report = (message: SocketReport) => process.send?.(message);
report({ type: 'open' });
if (seconds > 0) {
  report({ type: 'measured', ...(await measure()) });
  for (const socket of opened) socket.removeAllListeners('close').resetAndDestroy();
  process.disconnect();
}
