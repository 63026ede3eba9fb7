import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { engineState } from '#app/lib/engine/engine.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { Engine } from '#sync/client/engine.ts';
import { observable } from '#sync/client/observable.ts';
import { queryClient } from './query-client.tsx';

vi.hoisted(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
});

const connection = observable<ConnectionState>({ phase: 'connected' });
let stop: () => void;

/** Observes a query, as a list on the screen does. Returns a function that reads its current result. */
function show(queryFn: () => Promise<string>) {
  const list = new QueryObserver(queryClient, { queryKey: ['list'], queryFn });
  stop = list.subscribe(() => undefined);
  return () => list.getCurrentResult();
}

beforeEach(() => {
  vi.useFakeTimers();
  engineState.set({ connection } as Partial<Engine> as Engine);
  connection.set({ phase: 'connected' });
  queryClient.mount();
});
afterEach(() => {
  stop();
  queryClient.unmount();
  queryClient.clear();
  engineState.set(null);
  vi.useRealTimers();
});

test('while the server is out of reach nothing is asked for, and nothing has failed; it is when it is back', async () => {
  connection.set({ phase: 'failed' });
  const ask = vi.fn(async () => 'there');
  const result = show(ask);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).not.toHaveBeenCalled();
  expect(result().status).toBe('pending');
  connection.set({ phase: 'restored' });
  await vi.advanceTimersByTimeAsync(0);
  expect(result().data).toBe('there');
});

test('what the connection has cut is asked for again when it is back', async () => {
  let answer = async () => {
    connection.set({ phase: 'disconnected', attempt: 1 });
    throw new Error('cut');
  };
  const result = show(() => answer());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(result().status).toBe('pending');
  answer = async () => 'there' as never;
  connection.set({ phase: 'restored' });
  await vi.advanceTimersByTimeAsync(0);
  expect(result().data).toBe('there');
});

test('what the server refuses has failed at once', async () => {
  const ask = vi.fn(async () => {
    throw new Error('refused');
  });
  const result = show(ask);
  await vi.advanceTimersByTimeAsync(0);
  expect(result().status).toBe('error');
  expect(ask).toHaveBeenCalledTimes(1);
});
