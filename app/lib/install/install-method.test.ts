import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { installMethodState } from './install-method.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC_OR_IPAD =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

let isInstalled: boolean;

beforeEach(() => {
  isInstalled = false;
  vi.stubGlobal('window', {});
  vi.stubGlobal('matchMedia', () => ({ matches: isInstalled }));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['Safari on an iPhone', 'steps', `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, 5],
  ['Safari on an iPad', 'steps', `${MAC_OR_IPAD} Version/18.5 Safari/605.1.15`, 5],
  ['Safari on a Mac', null, `${MAC_OR_IPAD} Version/18.5 Safari/605.1.15`, 0],
  ['Chrome on an iPhone', null, `${IPHONE} CriOS/137.0.7151.107 Mobile/15E148 Safari/604.1`, 5],
  ['Chrome on an iPad', null, `${MAC_OR_IPAD} CriOS/85 Version/11.1.1 Safari/605.1.15`, 5],
  ['Opera on an iPhone', null, `${IPHONE} Version/18.0 Mobile/15E148 Safari/604.1 OPT/4.2.2`, 5],
  ['Edge on an iPhone', null, `${IPHONE} Version/18.0 EdgiOS/137.0.3296.0 Mobile/15E148 Safari/604.1`, 5],
] as const)('the install method of %s is %j', (_, method, userAgent, maxTouchPoints) => {
  vi.stubGlobal('navigator', { userAgent, maxTouchPoints });
  expect(installMethodState.get()).toBe(method);
});

test('the install method is the prompt once the browser has offered its install prompt', () => {
  vi.stubGlobal('navigator', { userAgent: '', maxTouchPoints: 0 });
  vi.stubGlobal('window', { installPrompt: {} });
  expect(installMethodState.get()).toBe('prompt');
});

test('the installed app cannot be installed again', () => {
  vi.stubGlobal('navigator', {
    userAgent: `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`,
    maxTouchPoints: 5,
  });
  isInstalled = true;
  expect(installMethodState.get()).toBeNull();
});
