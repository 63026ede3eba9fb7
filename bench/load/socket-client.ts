import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_PATH } from '#shared/live/constants.ts';
import { loadUser } from './load-ids.ts';
import type { SocketReport } from './sockets.ts';
import { voteEvent } from './vote-event.ts';

// A process of its own: opens sockets of the users of the load scripts, has messages published and counts what comes in.
// Arguments: address, number of sockets, seconds (0: only keeps them open). It reads TCP by itself, all of it into one buffer:
// with a WebSocket library it would be slower than the server.

const OPENING_AT_ONCE = 100;
const READ_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const TEXT_FRAME = 0x81;
const PAYLOAD_BYTES = JSON.stringify(voteEvent(0)).length;
const FRAME_BYTES = 2 + PAYLOAD_BYTES;
/** How many messages are on their way: more than are sent in one write, fewer than would fill the buffers of a socket. */
const WINDOW = 384;
/** Bun sends up to 32 messages of a topic together. */
const PUBLISHED_AT_ONCE = 64;
const WARM_UP_MS = 1_000;

const [address = '', sockets = 0, seconds = 0] = process.argv
  .slice(2)
  .map((argument, nth) => (nth === 0 ? argument : Number(argument))) as [string, number, number];
const { hostname, port, host } = new URL(address);
const buffer = Buffer.alloc(READ_BYTES);
let delivered = 0;

/** Opens the socket of a user; resolves once the server has accepted it. */
function open(nth: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let isOpen = false;
  /** Where the next frame begins in the next read. */
  let frameAt = 0;
  const readHead = (bytes: number) => {
    const text = buffer.toString('latin1', 0, bytes);
    if (!text.startsWith('HTTP/1.1 101') || !text.endsWith(HEAD_END)) reject(new Error(`No socket: ${text}`));
    isOpen = true;
    resolve(socket);
  };
  const countFrames = (bytes: number) => {
    let at = frameAt;
    for (; at < bytes; at += FRAME_BYTES) {
      if (buffer[at] !== TEXT_FRAME) throw new Error('That is another message.');
      delivered += 1;
    }
    frameAt = at - bytes;
  };
  const callback = (bytes: number) => {
    if (!isOpen) readHead(bytes);
    else if (seconds > 0) countFrames(bytes);
    return true;
  };
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
  socket.on('error', reject);
  socket.on('close', () => {
    throw new Error('The server has closed a socket.');
  });
  socket.write(
    `GET ${LIVE_PATH} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${address}\r\nCookie: sid=${loadUser(nth).token}\r\n` +
      `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('sixteen bytes...')}${HEAD_END}`,
  );
  return promise;
}

/** Asks for as many messages as the server can deliver. */
async function measure(): Promise<{ perSecond: number; busyShare: number }> {
  let asked = 0;
  const load = async (durationMs: number) => {
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      if (asked - delivered / sockets > WINDOW) {
        await sleep(1);
        continue;
      }
      const query = `from=${asked}&to=${asked + PUBLISHED_AT_ONCE}`;
      await fetch(`${address}/publish?${query}`, { method: 'POST' });
      asked += PUBLISHED_AT_ONCE;
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
  const count = Math.min(OPENING_AT_ONCE, sockets - opened.length);
  opened.push(...(await Promise.all(Array.from({ length: count }, (_, nth) => open(opened.length + nth)))));
}
const report = (message: SocketReport) => process.send?.(message);
report({ type: 'open' });
if (seconds > 0) {
  report({ type: 'measured', ...(await measure()) });
  for (const socket of opened) socket.removeAllListeners('close').resetAndDestroy();
  process.disconnect();
}
