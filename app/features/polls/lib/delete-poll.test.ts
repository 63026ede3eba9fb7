import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#app/lib/api/api-error.ts';
import { closePoll, deleteOwnPoll } from '#shared/polls/contract.ts';
import { samplePoll } from '#sync/testing/samples.ts';

const request = vi.fn<(call: unknown) => Promise<unknown>>();
vi.mock('#app/lib/api/api-client.ts', () => ({ request }));
vi.mock('#app/lib/engine/engine.ts', () => ({
  loadEngine: async () => ({ pullPoll: async () => 'updated', refreshUser: async () => {} }),
}));
const { deletePoll } = await import('./delete-poll.ts');

beforeEach(() => {
  request.mockReset().mockImplementation(async (call) => (call === closePoll ? { refunded: 7 } : {}));
});

const refuse = (code: 'poll_closed' | 'not_found' | 'internal') =>
  Promise.reject(new ApiError(409, '', { code, message: 'No.' }));
const deleteIt = (status: 'active' | 'expired', isRepeated = false) =>
  deletePoll(samplePoll({ status }), { userId: 100, key: 'key-1', isRepeated });

test('an open poll is closed early before it is deleted', async () => {
  expect(await deleteIt('active')).toBe(7);
  expect(request.mock.calls.map(([call]) => call)).toEqual([closePoll, deleteOwnPoll]);
});

test('a poll that is no longer open is only deleted', async () => {
  expect(await deleteIt('expired')).toBe(0);
  expect(request.mock.calls.map(([call]) => call)).toEqual([deleteOwnPoll]);
});

test('a poll that has closed by now is deleted', async () => {
  request.mockImplementationOnce(() => refuse('poll_closed'));
  expect(await deleteIt('active')).toBe(0);
  expect(request).toHaveBeenCalledTimes(2);
});

test('a poll that is not found was deleted by an earlier attempt, which may have refunded points', async () => {
  request.mockImplementation((call) =>
    call === closePoll ? Promise.resolve({ refunded: 7 }) : refuse('not_found'),
  );
  expect(await deleteIt('active', true)).toBe(7);
  expect(await deleteIt('expired', true)).toBe(0);
});

test.each(['active', 'expired'] as const)(
  'a first attempt fails if the %s poll is not found',
  async (status) => {
    request.mockImplementation(() => refuse('not_found'));
    await expect(deleteIt(status)).rejects.toMatchObject({ code: 'not_found' });
  },
);

test('it is not deleted when closing fails', async () => {
  request.mockImplementationOnce(() => refuse('internal'));
  await expect(deleteIt('active')).rejects.toThrow();
  expect(request).toHaveBeenCalledTimes(1);
});
