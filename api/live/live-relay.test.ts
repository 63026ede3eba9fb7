import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from './live-events.ts';
import type { LiveHub } from './live-hub.ts';
import { QUEUE_MAX, startLiveRelay } from './live-relay.ts';

const POLL = { id: '019352aa-0000-7000-8000-000000000001' };
const created = { ...POLL, type: 'poll.created' } as LiveEvent;
const removed = { ...POLL, type: 'poll.removed' } as LiveEvent;

let publish: (event: LiveEvent) => void;
let sent: string[];
/** The `rev` of each sent event. */
let sentRevs: unknown[];
let shouldFailNext: boolean;
let stop: () => Promise<void>;

beforeEach(async () => {
  vi.useFakeTimers();
  sent = [];
  sentRevs = [];
  shouldFailNext = false;
  /** Stands for the database: records the types and revisions of the events that are notified. */
  const sql = async (_: TemplateStringsArray, _channel: string, list: string) => {
    if (shouldFailNext) {
      shouldFailNext = false;
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new Error('The database is unreachable');
    }
    for (const payload of JSON.parse(list) as string[]) {
      const { events } = JSON.parse(payload);
      sent.push(...events.map(({ type }: LiveEvent) => type));
      sentRevs.push(...events.map(({ rev }: { rev?: number }) => rev));
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

test('of events in one batch that were published in another order than committed, only the newest revision is sent', async () => {
  const votes = (rev: number): LiveEvent => ({
    ...POLL,
    type: 'poll.votes',
    votesCount: 1,
    status: 'active',
    rev,
  });
  const user = (rev: number): LiveEvent => ({ type: 'user', userId: 7, points: 1, rev });
  for (const event of [votes(6), votes(8), votes(7), user(3), user(2)]) publish(event);
  await vi.advanceTimersByTimeAsync(100);
  expect(sentRevs).toEqual([8, 3]);
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
