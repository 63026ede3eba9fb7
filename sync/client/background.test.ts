import { expect, test, vi } from 'vitest';
import { settled } from '#sync/testing/settled.ts';
import { background } from './background.ts';

test('work in the background may fail without ending the process', async () => {
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  background(Promise.reject(new Error('The database is closed')));
  await settled();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
