import { expect, test, vi } from 'vitest';

vi.mock('#app/features/polls/lib/share-links.ts', () => {
  throw new Error('Failed to fetch dynamically imported module');
});
const { findCachedPollId } = await import('./lazy-share-links.ts');

test('no poll is found on the device if the code that searches for it cannot be loaded', async () => {
  await expect(findCachedPollId(null as never, 'slug')).resolves.toBeNull();
});
