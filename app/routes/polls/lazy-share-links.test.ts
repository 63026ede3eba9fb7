import { expect, test, vi } from 'vitest';

vi.mock('#app/features/polls/lib/share-links.ts', () => {
  throw new Error('Failed to fetch dynamically imported module');
});
const { findCachedId } = await import('./lazy-share-links.ts');

test('the server is asked for the poll of a share link if the code that looks for it on the device cannot be loaded', async () => {
  await expect(findCachedId(null as never, 'slug')).resolves.toBeNull();
});
