import { expect, onTestFinished, test, vi } from 'vitest';
import { startTcpProxy } from '#api/testing/external-services/tcp-proxy.ts';
import { createTestDatabase } from '#api/testing/servers/database.ts';
import { listenTo } from './listen.ts';

const db = await createTestDatabase();

const sendNotification = (payload: string) => db.sql`select pg_notify('test', ${payload})`;

/** Listens through a proxy. The notification "ping", which `notify` sends, counts as the process's own. */
async function listenThroughProxy(notify: () => Promise<unknown>) {
  const proxy = await startTcpProxy(db.url ?? '');
  const received: string[] = [];
  const onResumed = vi.fn();
  const onError = vi.fn();
  const stop = await listenTo(proxy.url, {
    channel: 'test',
    notify,
    receive: (payload) => payload === 'ping' || received.push(payload) === 0,
    onResumed,
    onError,
    checkIntervalMs: 100,
  });
  onTestFinished(async () => {
    await stop();
    await proxy.close();
  });
  return { proxy, received, onResumed, onError };
}

test('a connection that falls silent is replaced, and told of as a gap', async () => {
  const { proxy, received, onResumed, onError } = await listenThroughProxy(() =>
    sendNotification('ping').execute(),
  );
  await sendNotification('one');
  await expect.poll(() => received).toEqual(['one']);
  // It receives its own notifications, so the connection is kept.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(onResumed).not.toHaveBeenCalled();
  proxy.stopForwarding();
  await expect.poll(() => onResumed.mock.calls.length, { timeout: 5_000 }).toBe(1);
  await sendNotification('two');
  await expect.poll(() => received).toEqual(['one', 'two']);
  expect(onError).not.toHaveBeenCalled();
});

test('a process that never hears itself says so once, and nobody has to fetch anything', async () => {
  const notify = vi.fn(async () => {});
  const { onResumed, onError } = await listenThroughProxy(notify);
  await expect.poll(() => notify.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(4);
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ message: expect.stringContaining('DATABASE_DIRECT_URL') })],
  ]);
  expect(onResumed).not.toHaveBeenCalled();
});
