import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createHttpServer } from './http-server.ts';

test('above the maximum of connections only probes are answered, and this is logged only once within a minute', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const { server, ...http } = createHttpServer(() => new Response('fine'), {
    log,
    connectionsMax: 2,
    headers: {},
    lifecycle: { isStopping: false },
    shouldUpgradeCallback: () => false,
  });
  await http.listen({ host: '127.0.0.1', port: 0 });
  const open = async (path?: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return socket.resume();
  };
  // `once` would reject if the connection is reset.
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const firstSocket = await open();
  const secondSocket = await open();
  for (let count = 0; count < 3; count += 1) await closed(await open('/'));
  for (const path of ['/api/health', '/api/ready', '/metrics']) {
    const probe = await open(path);
    const [response] = await once(probe, 'data');
    expect(String(response)).toContain('200 OK');
    probe.destroy();
  }
  const idleSockets = await Promise.all(Array.from({ length: 16 }, () => open()));
  await closed(await open('/api/health'));
  for (const socket of idleSockets) socket.destroy();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('MAX_CONNECTIONS');

  firstSocket.destroy();
  await expect.poll(() => new Promise((done) => server.getConnections((_, count) => done(count)))).toBe(1);
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('fine');
  secondSocket.destroy();
  await http.finish();
});

test('a socket whose headers arrive byte by byte is closed, and other requests are served', async () => {
  const { server, ...http } = createHttpServer(() => new Response('fine'), {
    log: pino({ level: 'silent' }),
    connectionsMax: 10,
    headers: {},
    lifecycle: { isStopping: false },
    shouldUpgradeCallback: () => false,
  });
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 120_000]);
  server.headersTimeout = 100;
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const slow = connect(port, '127.0.0.1').on('error', () => {});
  const timer = setInterval(() => slow.write('G'), 50);
  const closed = once(slow.resume(), 'close');
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('fine');
  await closed;
  clearInterval(timer);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('fine');
  await http.finish();
});

test('a response with a header that Node rejects is replaced by one with 500', async () => {
  const { server, ...http } = createHttpServer(
    async () => new Response('fine', { headers: { 'X-Name': 'not\u0001valid' } }),
    {
      log: pino({ level: 'silent' }),
      connectionsMax: 10,
      headers: { 'x-frame-options': 'DENY' },
      lifecycle: { isStopping: false },
      shouldUpgradeCallback: () => false,
    },
  );
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect(response.status).toBe(500);
  expect(response.headers.get('X-Frame-Options')).toBe('DENY');
  expect(error).toHaveBeenCalledOnce();
  error.mockRestore();
  await http.finish();
});

test('an error before the application handles a request is logged with the id in the response', async () => {
  const lines: string[] = [];
  const { server, ...http } = createHttpServer(
    () => {
      throw new Error('a defect');
    },
    {
      log: pino({}, { write: (line: string) => lines.push(line) }),
      connectionsMax: 10,
      headers: {},
      lifecycle: { isStopping: false },
      shouldUpgradeCallback: () => false,
    },
  );
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect(response.status).toBe(500);
  const { code, requestId } = await response.json();
  expect(code).toBe('internal');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, requestId, err: { message: 'a defect' } },
  ]);
  await http.finish();
});
