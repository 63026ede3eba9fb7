import { beforeEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import type { Op } from '#sync/operations/registry.ts';
import { discard, tryAgain, tryNow } from './actions.ts';

const engine = vi.hoisted(() => ({ discard: vi.fn(), tryAgain: vi.fn(), tryNow: vi.fn() }));
vi.mock('#app/lib/engine/engine.ts', () => ({ loadEngine: async () => engine }));

const OP = { opId: '019a0000-0000-7000-8000-0000000000aa' } as Op;
const shownTitles = () => store.get(toastsAtom).map(({ title }) => title);

beforeEach(() => {
  vi.useFakeTimers();
  store.set(toastsAtom, []);
  return () => vi.useRealTimers();
});

test.each([
  ['discard', discard, 'Your change was not discarded'],
  ['tryAgain', tryAgain, 'Your change was not sent'],
  ['tryNow', tryNow, 'Your change was not sent'],
] as const)('if the storage of the device fails, %s shows a toast', async (name, run, title) => {
  engine[name].mockRejectedValueOnce(Object.assign(new Error(), { code: 'browser_timeout' }));
  await run(OP);
  expect(store.get(toastsAtom)).toMatchObject([
    { title, text: expect.stringContaining('storage is not responding') },
  ]);
});

test('a discarded change shows no toast, even if its current attempt has to end first', async () => {
  engine.discard.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  const discarded = discard(OP);
  await vi.runAllTimersAsync();
  await discarded;
  expect(shownTitles()).toEqual([]);
});

test('a change that is still being sent is kept, and a toast says so', async () => {
  engine.discard.mockResolvedValue(false);
  const discarded = discard(OP);
  await vi.advanceTimersByTimeAsync(3_000);
  await discarded;
  expect(shownTitles()).toEqual(['This change is being sent']);
});
