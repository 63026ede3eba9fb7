import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { serializeRequests, WAITING_MAX } from './serialize-requests.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A server that responds with `listener`. Returns a function that connects to it. */
async function serve(listener: RequestListener, options?: Parameters<typeof serializeRequests>[1]) {
  const requests = serializeRequests(listener, options);
  const server = createServer(requests.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    requests.stop();
    server.closeAllConnections();
    server.close();
  });
  return async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
}

/** A connection to a server of its own that responds with `listener`. */
async function connectTo(...server: Parameters<typeof serve>) {
  const connectToServer = await serve(...server);
  return connectToServer();
}

const pipelinedRequests = (paths: readonly string[]) =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes(end)) break;
  }
  return text;
}

const PATHS = Array.from({ length: WAITING_MAX + 1 }, (_, index) => `/${index}/`);

test('pipelined requests are handled one after the other, with responses in the same order', async () => {
  let inFlight = 0;
  let inFlightMax = 0;
  const socket = await connectTo((request, response) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlight, inFlightMax);
    response.once('finish', () => {
      inFlight -= 1;
    });
    setImmediate(() => response.end(`[${request.url}]`));
  });
  socket.write(pipelinedRequests(PATHS));
  const text = await readUntil(socket, `[${PATHS.at(-1)}]`);
  expect(text.match(/\[[^\]]+\]/g)).toEqual(PATHS.map((path) => `[${path}]`));
  expect(inFlightMax).toBe(1);
  // The connection can still be used.
  socket.write(pipelinedRequests(['/more']));
  expect(await readUntil(socket, '[/more]')).toContain('200 OK');
});

test('a body that follows a waiting request reaches its handler', async () => {
  const socket = await connectTo(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(`[${body}]`);
  });
  const post = (body: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(post('one') + post('two'));
  expect((await readUntil(socket, '[two]')).match(/\[\w+\]/g)).toEqual(['[one]', '[two]']);
});

test('a connection with too many waiting requests is closed, and none of them is handled', async () => {
  const handled: unknown[] = [];
  const socket = await connectTo((request) => handled.push(request.url));
  socket.write(pipelinedRequests([...PATHS, '/further', '/last']));
  await once(socket.resume(), 'close');
  expect(handled).toEqual(['/0/']);
});

test('waiting requests of a closed connection are not handled', async () => {
  const handled: unknown[] = [];
  const closed = new Promise<void>((resolve) => {
    connectTo((request, response) => {
      handled.push(request.url);
      response.once('close', resolve);
      response.socket?.destroy();
    }).then((socket) => socket.end(pipelinedRequests(['/one', '/two'])));
  });
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(handled).toEqual(['/one']);
});

test('a client that reads a long response steadily is not timed out', async () => {
  const socket = await connectTo(
    async (_, response) => {
      for (let part = 0; part < 10; part += 1) {
        response.write(Buffer.alloc(64_000));
        await sleep(50);
      }
      response.end('[whole]');
    },
    { readingMaxMs: 100, checkIntervalMs: 10 },
  );
  socket.write(pipelinedRequests(['/']));
  expect(await readUntil(socket, '[whole]')).toContain('[whole]');
});

test('disconnects a client that does not read its response in time, but not one that waits for a response', async () => {
  const options = { readingMaxMs: 100, checkIntervalMs: 10 };
  const patient = await connectTo(
    (_, response) => void setTimeout(() => response.end('[late]'), 500),
    options,
  );
  patient.write(pipelinedRequests(['/']));
  expect(await readUntil(patient, '[late]')).toContain('200 OK');

  let isDisconnected = false;
  const slow = await connectTo((_, response) => {
    response.once('close', () => {
      isDisconnected = !response.writableFinished;
    });
    response.end(Buffer.alloc(50_000_000));
  }, options);
  slow.pause();
  slow.write(pipelinedRequests(['/']));
  await expect.poll(() => isDisconnected).toBe(true);
});

test('when too much is unread on all connections together, disconnects the one with the most unread bytes', async () => {
  const mebibyte = 1024 * 1024;
  const disconnected: unknown[] = [];
  const connectToServer = await serve(
    ({ url }, response) => {
      response.once('close', () => disconnected.push(url));
      response.end(Buffer.alloc(Number(url?.slice(1)) * mebibyte));
    },
    { unreadMaxBytes: 100 * mebibyte, checkIntervalMs: 10 },
  );
  // The systems of client and server buffer a few MiB of each response.
  for (const mebibytes of [40, 50, 45]) {
    expect(disconnected).toEqual([]);
    const socket = await connectToServer();
    socket.pause();
    socket.write(pipelinedRequests([`/${mebibytes}`]));
    await sleep(100);
  }
  await expect.poll(() => disconnected).toEqual(['/50']);
  await sleep(100);
  expect(disconnected).toEqual(['/50']);
});
