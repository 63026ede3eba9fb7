import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drainHarness } from '#sync/testing/drain-harness.ts';
import { lost, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleDraft } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';
import { queuePoll } from './outbox.ts';
import { fetchTransport } from './transport.ts';
import { NetworkFailure } from './types.ts';

const VOTE = { method: 'POST', path: '/', headers: {}, body: '{}' } as const;

async function transportTo(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return fetchTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

describe('a request is given up when its time is over', { timeout: 2_000 }, () => {
  test('and nobody has answered', async () => {
    const transport = await transportTo(() => {});
    await expect(transport({ ...VOTE, timeoutMs: 50 })).rejects.toThrow(NetworkFailure);
  });

  test('and the answer has only begun', async () => {
    const transport = await transportTo((_request, answer) => {
      answer.writeHead(200, { 'Content-Type': 'application/json' }).write('{"poll":');
    });
    await expect(transport({ ...VOTE, timeoutMs: 50 })).rejects.toThrow(NetworkFailure);
  });

  test('but not before', async () => {
    const transport = await transportTo((_request, answer) => {
      setTimeout(() => answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'), 50);
    });
    expect(await transport({ ...VOTE, timeoutMs: 1_500 })).toMatchObject({ status: 200, body: {} });
  });
});

test('a vote has 15 seconds, a poll with its pictures two minutes', async () => {
  const device = await drainHarness();
  const { transport, sent } = scriptedTransport(lost);
  await device.voteOn(POLL_ID);
  await queuePoll(device.db, device.userId, sampleDraft(), device.clock.now());
  const context = device.context(transport);
  await drainLane(context, 'votes');
  await drainLane(context, 'creations');
  expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000, 120_000]);
});
