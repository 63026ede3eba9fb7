import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from './live-events.ts';
import type { LiveHub } from './live-hub.ts';
import { QUEUE_MAX, startLiveRelay } from './live-relay.ts';

const POLL = { id: '019352aa-0000-7000-8000-000000000001' };
const created = { ...POLL, type: 'poll.created' } as LiveEvent;
const removed = { ...POLL, type: 'poll.removed' } as LiveEvent;

let publish: (event: LiveEvent) => void;
let sent: string[];
let shouldFailNext: boolean;
let stop: () => Promise<void>;

beforeEach(async () => {
  vi.useFakeTimers();
  sent = [];
  shouldFailNext = false;
  /** Stands for the database: records the types of the events that are notified. */
  const sql = async (_: TemplateStringsArray, _channel: string, list: string) => {
    if (shouldFailNext) {
      shouldFailNext = false;
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new Error('The database is unreachable');
    }
    for (const payload of JSON.parse(list) as string[]) {
      sent.push(...JSON.parse(payload).events.map(({ type }: LiveEvent) => type));
    }
  };
  const hub = {
    relayTo(listener: (event: LiveEvent) => void) {
      publish = listener;
    },
  } as LiveHub;
  const options = { onRemote: () => {}, onError: () => {} };
  stop = await startLiveRelay({ sql: sql as never, listen: async () => async () => {} }, hub, options);
});
afterEach(async () => {
  await stop();
  vi.useRealTimers();
});

test('of a removal and its undo in one batch, only the last is sent', async () => {
  for (const event of [removed, created, removed]) publish(event);
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toEqual(['poll.removed']);
});

test('an event whose NOTIFY failed is not sent after an event about the same poll that was published meanwhile', async () => {
  shouldFailNext = true;
  publish(created);
  await vi.advanceTimersByTimeAsync(100);
  publish(removed);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toEqual(['poll.removed']);
});

test('if more events than the maximum cannot be sent, they are dropped', async () => {
  shouldFailNext = true;
  for (let userId = 0; userId <= QUEUE_MAX; userId += 1) publish({ type: 'notifications', userId });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([]);
  publish(created);
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toEqual(['poll.created']);
});
