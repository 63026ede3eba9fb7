import { afterEach, expect, test, vi } from 'vitest';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import { shareLink } from './share.ts';

vi.mock('#app/lib/log.ts');
afterEach(() => vi.unstubAllGlobals());

const LINK = { title: 'Tea or coffee?', url: 'https://poll.example/s/1' };

test.each([
  { name: 'the user closes the share sheet', error: 'AbortError', titles: [] },
  { name: 'the share sheet is already open', error: 'InvalidStateError', titles: [] },
  { name: 'the browser refuses', error: 'NotAllowedError', titles: ["Couldn't share"] },
])('an error is shown only if sharing has failed: $name', async ({ error, titles }) => {
  const share = () => Promise.reject(new DOMException('', error));
  vi.stubGlobal('navigator', { share });
  await shareLink(LINK);
  expect(store.get(toastsAtom).map(({ title }) => title)).toEqual(titles);
});
