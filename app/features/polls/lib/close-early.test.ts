import { expect, test, vi } from 'vitest';

const pullPoll = vi.fn(async (_id: string) => 'updated');
const refreshUser = vi.fn(async () => {});
vi.mock('#app/lib/api/api-client.ts', () => ({ request: async () => ({ refunded: 7 }) }));
vi.mock('#app/lib/engine/engine.ts', () => ({ loadEngine: async () => ({ pullPoll, refreshUser }) }));
const { closeEarly } = await import('./close-early.ts');

const close = () => closeEarly('poll-1', 100, 'key-1');

test('a closed poll and its maker are fetched again', async () => {
  expect(await close()).toBe(7);
  expect(pullPoll).toHaveBeenCalledExactlyOnceWith('poll-1');
  expect(refreshUser).toHaveBeenCalledTimes(1);
});

test('closing a poll succeeds even if the poll cannot be fetched again', async () => {
  pullPoll.mockRejectedValueOnce(new Error('no space left'));
  expect(await close()).toBe(7);
});
