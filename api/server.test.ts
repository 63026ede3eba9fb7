import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import { startCollector } from './testing/external-services/collector.ts';
import {
  createServerData,
  PROCESS_TEST_TIMEOUT_MS,
  type ServerProcess,
  startServerProcess,
} from './testing/servers/server-process.ts';

vi.setConfig({ testTimeout: PROCESS_TEST_TIMEOUT_MS, hookTimeout: PROCESS_TEST_TIMEOUT_MS });

const data = await createServerData();
const servers: ServerProcess[] = [];

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ ...data.env, ...env });
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.child.kill('SIGKILL');
    await server.exited;
  }
});
afterAll(() => data.remove());

/** An option for Node that writes a line to stderr for each OpenTelemetry package that is loaded, except its API. */
const REPORT_TRACING_PACKAGES = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^@opentelemetry[/](?!api$)/.test(specifier)) process.stderr.write(specifier + ' is loaded\\n');
      return next(specifier, context);
    },
  });
`)}`;

test('the started server responds, and prints a link to set the owner’s password until one is set', async () => {
  const firstServer = await start({ NODE_OPTIONS: REPORT_TRACING_PACKAGES });
  await firstServer.listening;
  expect((await fetch(`${firstServer.address}/api/health`)).status).toBe(200);
  expect((await fetch(`${firstServer.address}/api/ready`)).status).toBe(200);
  firstServer.child.kill('SIGTERM');
  expect(await firstServer.exited).toBe(0);
  // Without a collector OpenTelemetry is not loaded.
  expect(firstServer.stderr()).toBe('');

  const secondServer = await start();
  await secondServer.listening;
  const post = (path: string, body: object) =>
    fetch(secondServer.address + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const password = 'chosen by the owner';
  const [older, newer] = [firstServer, secondServer].map((server) => {
    const [link = ''] = /http:\S+\/reset-password\?token=\S+&first$/m.exec(server.stdout()) ?? [];
    return new URL(link).searchParams.get('token');
  });
  expect((await post('/api/reset-password', { token: older, password })).status).toBe(200);
  expect((await post('/api/reset-password', { token: newer, password })).status).toBe(400);
  const login = await post('/api/login', { username: 'owner', password });
  expect(await login.json()).toMatchObject({ id: 15, isAdmin: true });
  secondServer.child.kill('SIGTERM');
  await secondServer.exited;

  // This password would be refused as too common if it were to be set: that the start succeeds shows that it is not used.
  const thirdServer = await start({ OWNER_PASSWORD: 'password1' });
  await thirdServer.listening;
  expect(thirdServer.stdout()).not.toContain('token');
  expect([secondServer, thirdServer].map((server) => server.stdout()).join()).not.toContain(password);
});

const LOGIN = JSON.stringify({ username: 'nobody', password: 'x' });

/** Sends the headers of a login. Resolves once the server handles it and waits for the body. */
async function beginLogin({ address }: ServerProcess): Promise<ClientRequest> {
  const login = request(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': LOGIN.length, Expect: '100-continue' },
  });
  login.flushHeaders();
  await once(login, 'continue');
  return login;
}

test('on SIGTERM the server is no longer ready, completes requests in flight and exits with 0', async () => {
  const collector = await startCollector();
  const server = await start({
    RATE_LIMITS: 'off',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    NODE_OPTIONS: REPORT_TRACING_PACKAGES,
  });
  await server.listening;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statusOf = async (path: string) => {
    const [response]: IncomingMessage[] = await once(get(server.address + path, { agent }), 'response');
    response?.resume();
    return [response?.statusCode, response?.headers.connection];
  };
  expect(await statusOf('/api/ready')).toEqual([200, 'keep-alive']);
  // The headers of this request end after the signal, so that the server handles the request while stopping, no matter how late
  // this test notices the stop.
  const { hostname, port } = new URL(server.address);
  const lateRequest = connect(Number(port), hostname);
  await once(lateRequest, 'connect');
  lateRequest.write('GET /api/ready HTTP/1.1\r\nHost: localhost\r\n');
  const logins = await Promise.all(Array.from({ length: 4 }, () => beginLogin(server)));
  server.child.kill('SIGTERM');
  await sleep(50);
  // A signal to the process group arrives again, because npm passes it on.
  server.child.kill('SIGTERM');
  const status = () =>
    statusOf('/api/ready').then(
      ([code]) => code,
      () => 'refused',
    );
  await expect.poll(status, { interval: 20 }).not.toBe(200);
  lateRequest.write('\r\n');
  const responses = logins.map((login) => once(login.end(LOGIN), 'response'));
  let text = '';
  for await (const chunk of lateRequest) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  expect(text).toMatch(/^connection: close\r$/im);
  for (const [response] of await Promise.all(responses)) expect(response.statusCode).toBe(401);
  expect(await server.exited).toBe(0);
  expect(collector.spans.filter(({ name }) => name === 'POST /api/login')).toHaveLength(logins.length);
  // Shows that the first test would notice if OpenTelemetry were loaded.
  expect(server.stderr()).toContain('@opentelemetry/sdk-trace is loaded');
  await collector.close();
  agent.destroy();
});

test('the server starts again after it was killed, and leaves no temporary files', async () => {
  const killed = await start();
  await killed.listening;
  killed.child.kill('SIGKILL');
  await killed.exited;
  const restartedServer = await start();
  await restartedServer.listening;
  expect((await fetch(`${restartedServer.address}/api/ready`)).status).toBe(200);
  restartedServer.child.kill('SIGTERM');
  await restartedServer.exited;
  const files = await readdir(data.env.TMPDIR ?? '');
  expect(files.filter((name) => name.startsWith('tot-'))).toEqual([]);
});

test('an invalid request gets an error in JSON, and one with headers over 20 kB gets status 431', async () => {
  const server = await start();
  await server.listening;
  const statusWithHeader = async (length: number) =>
    (await fetch(`${server.address}/api/health`, { headers: { 'X-Long': 'x'.repeat(length) } })).status;
  expect([await statusWithHeader(18_000), await statusWithHeader(21_000)]).toEqual([200, 431]);
  const [invalid]: IncomingMessage[] = await once(
    get(`${server.address}`, { path: '/api\\user' }),
    'response',
  );
  expect(invalid?.statusCode).toBe(400);
  expect(invalid?.headers['content-security-policy']).toContain("default-src 'none'");
  let text = '';
  if (invalid) for await (const chunk of invalid) text += chunk;
  expect(JSON.parse(text)).toMatchObject({ code: 'invalid_input' });
});

test('a second process exits with a message on the embedded database, and starts on PostgreSQL', async () => {
  const firstServer = await start();
  await firstServer.listening;
  const secondServer = await start();
  if (inject('testDatabase').kind === 'postgres') {
    await secondServer.listening;
    expect((await fetch(`${secondServer.address}/api/ready`)).status).toBe(200);
    return;
  }
  expect(await secondServer.exited).toBe(1);
  expect(secondServer.stderr()).toMatch(/^Another process is using the database in .+\n$/);
  expect((await fetch(`${firstServer.address}/api/ready`)).status).toBe(200);
});
