import { afterEach, expect, test, vi } from 'vitest';
import { logWarning } from '#app/lib/log.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import { shareLink } from './share.ts';

vi.mock('#app/lib/log.ts');
afterEach(() => vi.unstubAllGlobals());

const LINK = { title: 'Tea or coffee?', url: 'https://poll.example/s/1' };

test.each([
  { name: 'the user closes the share sheet', error: 'AbortError', warnings: 0, titles: [] },
  { name: 'the share sheet is already open', error: 'InvalidStateError', warnings: 1, titles: [] },
  { name: 'the browser refuses', error: 'NotAllowedError', warnings: 1, titles: ["Couldn't share"] },
])('an error is shown only if sharing has failed: $name', async ({ error, warnings, titles }) => {
  vi.mocked(logWarning).mockClear();
  const share = () => Promise.reject(new DOMException('', error));
  vi.stubGlobal('navigator', { share });
  await shareLink(LINK);
  expect(store.get(toastsAtom).map(({ title }) => title)).toEqual(titles);
  expect(logWarning).toHaveBeenCalledTimes(warnings);
});
