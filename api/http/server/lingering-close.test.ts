import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { createLingeringClose } from './lingering-close.ts';

const BODY_BYTES = 12 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
const HEAD = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/**
 * Starts the application's HTTP server with a handler that rejects each request before its body has arrived. Returns the port.
 */
async function startRejecting(): Promise<number> {
  const reject = () => new Response('too large', { status: 413, headers: { Connection: 'close' } });
  const { server, ...http } = createHttpServer(reject, {
    log: pino({ level: 'silent' }),
    connectionsMax: 100,
    headers: {},
    lifecycle: { isStopping: false },
    shouldUpgradeCallback: () => false,
  });
  await http.listen({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => http.finish());
  return (server.address() as AddressInfo).port;
}

function open(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });
  cleanups.push(() => socket.destroy());
  const closed = once(socket, 'close');
  // An error of the socket rejects `closed`, which not every test awaits.
  closed.catch(() => {});
  return { socket, errors, response: () => response, isOpen: () => !socket.destroyed, closed };
}

const write = (socket: ReturnType<typeof connect>, chunk: Buffer) =>
  new Promise((done) => socket.write(chunk, done));

test('a client that sends a large body before it reads gets the response', async () => {
  const { socket, errors, response, closed } = open(await startRejecting());
  socket.pause();
  socket.write(HEAD);
  for (let sent = 0; sent < BODY_BYTES; sent += CHUNK.length) await write(socket, CHUNK);
  socket.resume();
  socket.end();
  await closed;
  expect(errors).toEqual([]);
  expect(response()).toMatch(/^HTTP\/1\.1 413 /);
  expect(response()).toMatch(/connection: close/i);
});

test('a client that sends slowly gets the response, and is disconnected within seconds', async () => {
  const { socket, response, isOpen } = open(await startRejecting());
  socket.write(HEAD);
  const startMs = performance.now();
  let respondedMs = 0;
  while (isOpen() && performance.now() - startMs < 15_000) {
    socket.write(CHUNK.subarray(0, 1024));
    await sleep(20);
    if (response() !== '' && respondedMs === 0) respondedMs = performance.now() - startMs;
  }
  expect(response()).toMatch(/^HTTP\/1\.1 413 /);
  expect(isOpen()).toBe(false);
  // Well after the response, but well before the whole body would have arrived, which takes minutes.
  expect(performance.now() - startMs - respondedMs).toBeGreaterThan(1_000);
});

/** Starts a plain server whose lingering close has these bounds. */
async function startWithBounds(bounds: Parameters<typeof createLingeringClose>[0]) {
  const lingering = createLingeringClose(bounds);
  let handled = 0;
  const sockets: Socket[] = [];
  const server = createServer((incoming, outgoing) => {
    if (!lingering.admit(incoming)) return;
    handled += 1;
    sockets.push(incoming.socket);
    outgoing.writeHead(413, { Connection: 'close' }).end('too large');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    lingering,
    handled: () => handled,
    bytesRead: () => sockets.at(-1)?.bytesRead,
  };
}

test('closes a connection once the maximum number of bytes was discarded', async () => {
  const discardedMaxBytes = 1024 * 1024;
  const { port, bytesRead } = await startWithBounds({ discardedMaxBytes, lingeringMaxMs: 600_000 });
  const { socket, isOpen } = open(port);
  socket.write(HEAD.replace(String(BODY_BYTES), '999999999999'));
  // In small steps, so that the server, which checks at intervals, does not read much more.
  while (isOpen()) {
    await write(socket, CHUNK);
    await sleep(5);
  }
  expect(bytesRead()).toBeGreaterThan(discardedMaxBytes);
  // Far below the default, 32 MiB.
  expect(bytesRead()).toBeLessThan(8 * discardedMaxBytes);
});

test('a limited number of connections linger, and none of them handles another request', async () => {
  const { port, lingering, handled } = await startWithBounds({ connectionsMax: 1, lingeringMaxMs: 600_000 });
  const first = open(port);
  first.socket.write(HEAD);
  await expect.poll(() => lingering.count()).toBe(1);
  const second = open(port);
  const secondEnd = once(second.socket, 'end');
  second.socket.write(HEAD);
  await secondEnd;
  expect(lingering.count()).toBe(1);

  const rest = Buffer.concat([Buffer.alloc(BODY_BYTES), Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]);
  first.socket.write(rest);
  await expect.poll(() => lingering.count()).toBe(0);
  expect(handled()).toBe(2);
});
