import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const app = await createTestApp();
const address = new URL(await serveLive(app));
const user = await app.signUp();

/** The response to a request of which only `sentBytes` of `statedBytes` arrive. */
async function responseTo(
  path: string,
  type: string,
  statedBytes: number,
  sentBytes: number,
): Promise<string> {
  const socket: Socket = connect(Number(address.port), address.hostname);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${address.host}`,
    `Cookie: sid=${user.cookies.get('sid')}`,
    'Sec-Fetch-Site: same-origin',
    `Content-Type: ${type}`,
    `Content-Length: ${statedBytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(sentBytes)}`);
  for await (const chunk of socket) {
    socket.destroy();
    return String(chunk);
  }
  throw new Error('no response');
}

test('a response before the end of the body closes the connection', async () => {
  const response = await responseTo('/api/questions', 'multipart/form-data; boundary=x', 30_000_000, 1_000);
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
  expect(response).toMatch(/^connection: close\r$/im);
});

test('a response after the whole body keeps the connection open', async () => {
  const response = await responseTo('/api/questions', 'application/json', 2, 2);
  expect(response).toMatch(/^HTTP\/1\.1 415 /);
  expect(response).not.toMatch(/^connection: close\r$/im);
});
