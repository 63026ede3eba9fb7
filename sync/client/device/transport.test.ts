import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drainLane } from '#sync/client/drain/drain.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import { noResponse, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { fetchTransport } from './transport.ts';

const REQUEST = { method: 'POST', path: '/', headers: {}, body: '{}' } as const;

async function transportTo(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return fetchTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

describe('a request', () => {
  test('is aborted after its timeout if there is no response', async () => {
    const transport = await transportTo(() => {});
    const failure = await transport({ ...REQUEST, timeoutMs: 50 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NetworkFailure);
    expect(failure).toMatchObject({ cause: { name: 'TimeoutError' } });
  });

  test('is aborted after its timeout if the response is incomplete', async () => {
    const transport = await transportTo((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"poll":');
    });
    await expect(transport({ ...REQUEST, timeoutMs: 50 })).rejects.toThrow(NetworkFailure);
  });

  test('is not aborted before its timeout', async () => {
    const transport = await transportTo((_request, response) => {
      setTimeout(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'), 500);
    });
    expect(await transport({ ...REQUEST, timeoutMs: 15_000 })).toMatchObject({ status: 200, body: {} });
  });
});

test('the transport passes on the method, headers and body, and returns the status, headers and body', async () => {
  const transport = await transportTo(async (request, response) => {
    const text = (await request.toArray()).join('');
    response.writeHead(201, { 'Content-Type': 'application/json; charset=utf-8', 'X-Kind': 'test' });
    response.end(JSON.stringify([request.method, request.url, request.headers.accept, text]));
  });
  const headers = { Accept: 'application/json' };
  const {
    status,
    headers: received,
    body,
  } = await transport({ ...REQUEST, path: '/a?b=1', headers, timeoutMs: 15_000 });
  expect([status, received.get('X-Kind'), body]).toEqual([
    201,
    'test',
    ['POST', '/a?b=1', 'application/json', '{}'],
  ]);
});

test.each([
  ['a content type other than JSON', 'text/html', '{}'],
  ['no content type', undefined, '{}'],
  ['invalid JSON', 'application/json', '{"poll":'],
])('the body of a response with %s is returned as null', async (_case, type, text) => {
  const transport = await transportTo((_request, response) => {
    response.writeHead(200, type === undefined ? {} : { 'Content-Type': type }).end(text);
  });
  expect(await transport({ ...REQUEST, timeoutMs: 15_000 })).toMatchObject({ status: 200, body: null });
});

test('a redirect, for example to a login page, counts as a network failure', async () => {
  const transport = await transportTo(({ url }, response) => {
    if (url === '/login') response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    else response.writeHead(302, { Location: '/login' }).end();
  });
  await expect(transport({ ...REQUEST, timeoutMs: 15_000 })).rejects.toThrow(NetworkFailure);
});

test('the timeout is 15 seconds for a vote and two minutes for a poll with its images', async () => {
  const device = await drainHarness();
  const { transport, sent } = scriptedTransport(noResponse);
  await device.voteOn(POLL_ID);
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  const context = device.context(transport);
  await drainLane(context, 'votes');
  await drainLane(context, 'creations');
  expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000, 120_000]);
});
