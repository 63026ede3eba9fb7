import { expect, test, vi } from 'vitest';
import { settled } from '#sync/testing/settled.ts';
import { runInBackground } from './run-in-background.ts';

test('a failure of background work is not an unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  runInBackground(Promise.reject(new Error('The database is closed')));
  await settled();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
