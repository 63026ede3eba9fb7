import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from '#api/db/client.ts';
import { startTcpProxy } from '#api/testing/external-services/tcp-proxy.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { listenTo } from './listen.ts';

const db = await createTestDatabase();
afterAll(() => db.close());

const notifyChannel = (payload: string) => db.sql`select pg_notify('test', ${payload})`;

/** Listens through a proxy, with a check every 100 ms. The payload "ping" stands for a heartbeat; `received` has all others. */
async function listenThroughProxy(
  sendHeartbeat: () => Promise<unknown>,
  options: { heartbeatTimeoutMs?: number } = {},
) {
  const proxy = await startTcpProxy(db.url ?? '');
  const received: string[] = [];
  const onResumed = vi.fn();
  const onError = vi.fn();
  const stop = await listenTo(proxy.url, {
    channel: 'test',
    sendHeartbeat,
    receive: (payload) => {
      if (payload === 'ping') return true;
      received.push(payload);
      return false;
    },
    onResumed,
    onError,
    checkIntervalMs: 100,
    ...options,
  });
  onTestFinished(async () => {
    await stop();
    await proxy.close();
  });
  return { proxy, received, onResumed, onError };
}

test('replaces a connection that no longer delivers, and reports that messages may have been missed', async () => {
  const { proxy, received, onResumed, onError } = await listenThroughProxy(() =>
    notifyChannel('ping').execute(),
  );
  await notifyChannel('one');
  await expect.poll(() => received).toEqual(['one']);
  // The heartbeats arrive, so the connection is kept.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(onResumed).not.toHaveBeenCalled();
  proxy.stopForwarding();
  await expect.poll(() => onResumed.mock.calls.length).toBe(1);
  // Sent again if it gets lost: a busy machine may miss a further heartbeat, so that the new connection is replaced, too.
  await expect
    .poll(async () => {
      await notifyChannel('two');
      return received;
    })
    .toContain('two');
  expect(onError).not.toHaveBeenCalled();
});

test('replaces it even if the connection that sends the heartbeats is silent, too', async () => {
  const senderProxy = await startTcpProxy(db.url ?? '');
  const sender = openPostgres(senderProxy.url, { connections: 2 });
  onTestFinished(async () => {
    await senderProxy.close();
    await sender.close();
  });
  const { proxy, onResumed, onError } = await listenThroughProxy(
    () => sender.sql`select pg_notify('test', 'ping')`.execute(),
    { heartbeatTimeoutMs: 500 },
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  senderProxy.stopForwarding();
  proxy.stopForwarding();
  await expect.poll(() => onResumed.mock.calls.length).toBeGreaterThan(0);
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({ message: expect.stringContaining('Timed out') }),
  );
});

test('reports once that heartbeats never arrive, but not that messages may have been missed', async () => {
  const sendHeartbeat = vi.fn(async () => {});
  const { onResumed, onError } = await listenThroughProxy(sendHeartbeat);
  await expect.poll(() => sendHeartbeat.mock.calls.length).toBeGreaterThan(4);
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ message: expect.stringContaining('DATABASE_DIRECT_URL') })],
  ]);
  expect(onResumed).not.toHaveBeenCalled();
});
