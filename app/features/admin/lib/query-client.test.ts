import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { engineState } from '#app/lib/engine/engine.ts';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { Engine } from '#sync/client/engine.ts';
import { observable } from '#sync/client/observable.ts';
import { queryClient } from './query-client.tsx';

// The connection’s state is read from these globals.
vi.hoisted(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
});

const connection = observable<ConnectionState>({ phase: 'connected' });
let unsubscribe: () => void;

/** Observes a query, as a list on the screen does. Returns a function that reads its current result. */
function observeQuery(queryFn: () => Promise<string>) {
  const observer = new QueryObserver(queryClient, { queryKey: ['list'], queryFn });
  unsubscribe = observer.subscribe(() => undefined);
  return () => observer.getCurrentResult();
}

beforeEach(() => {
  vi.useFakeTimers();
  engineState.set({ connection } as Partial<Engine> as Engine);
  connection.set({ phase: 'connected' });
  queryClient.mount();
});
afterEach(() => {
  unsubscribe();
  queryClient.unmount();
  queryClient.clear();
  engineState.set(null);
  vi.useRealTimers();
});

test('a query waits while the server is unreachable, and is sent once the connection is restored', async () => {
  connection.set({ phase: 'failed' });
  const queryFn = vi.fn(async () => 'rows');
  const result = observeQuery(queryFn);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queryFn).not.toHaveBeenCalled();
  expect(result().status).toBe('pending');
  connection.set({ phase: 'restored' });
  await vi.advanceTimersByTimeAsync(0);
  expect(result().data).toBe('rows');
});

test('a query that failed because the connection was lost runs again once the connection is restored', async () => {
  let queryFn = async (): Promise<string> => {
    connection.set({ phase: 'disconnected', attempt: 1 });
    throw new Error('connection lost');
  };
  const result = observeQuery(() => queryFn());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(result().status).toBe('pending');
  queryFn = async () => 'rows';
  connection.set({ phase: 'restored' });
  await vi.advanceTimersByTimeAsync(0);
  expect(result().data).toBe('rows');
});

test('a query is not sent again when the page becomes visible or gets the focus', async () => {
  const queryFn = vi.fn(async () => 'rows');
  observeQuery(queryFn);
  await vi.advanceTimersByTimeAsync(0);
  for (const type of ['visibilitychange', 'focus']) window.dispatchEvent(new Event(type));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queryFn).toHaveBeenCalledOnce();
});

test('a query that fails while the server is reachable is not retried', async () => {
  const queryFn = vi.fn(async () => {
    throw new Error('rejected');
  });
  const result = observeQuery(queryFn);
  await vi.advanceTimersByTimeAsync(0);
  expect(result().status).toBe('error');
  expect(queryFn).toHaveBeenCalledTimes(1);
});
