import { expect, test } from 'vitest';
import { storageRisk } from './storage-risk.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const IPAD_OR_MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile';

test.each([
  ['an iPhone in the browser', IPHONE, 5, false, false, 'seven_days'],
  ['an iPhone from the home screen', IPHONE, 5, true, true, 'none'],
  ['an iPad in the browser', IPAD_OR_MAC, 5, false, true, 'seven_days'],
  ['a Mac', IPAD_OR_MAC, 0, false, true, 'none'],
  ['a browser that keeps what it is asked to keep', ANDROID, 5, false, true, 'none'],
  ['a browser that does not', ANDROID, 5, false, false, 'low_space'],
] as const)('on %s', (_, userAgent, maxTouchPoints, isStandalone, isPersisted, risk) => {
  expect(storageRisk({ userAgent, maxTouchPoints, isStandalone, isPersisted })).toBe(risk);
});
