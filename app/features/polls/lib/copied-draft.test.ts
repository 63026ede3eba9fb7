import { expect, test, vi } from 'vitest';
import { IMAGE_SMALL_PX } from '#shared/polls/constants.ts';
import { samplePoll } from '#sync/testing/samples.ts';
import { copyOf } from './copied-draft.ts';

test('an image that does not arrive in time is replaced by its smaller size, or left out', async () => {
  // Every timeout is one millisecond.
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 1));
  vi.stubGlobal('createImageBitmap', async () => ({ width: 4, height: 3 }));
  const fetchImage = async (url: string, init?: RequestInit) =>
    url === `/uploads/a.webp?w=${IMAGE_SMALL_PX}`
      ? new Response('small', { headers: { 'Content-Type': 'image/webp' } })
      : new Promise<Response>((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('timeout')));
        });
  vi.stubGlobal('fetch', fetchImage);
  const poll = samplePoll({ option1Image: '/uploads/a.webp', option2Image: '/uploads/b.webp' });
  const { pictures } = await copyOf(poll);
  expect(Object.keys(pictures)).toEqual(['1']);
  expect(pictures[1]).toMatchObject({ mime: 'image/webp', width: 4, height: 3 });
});
