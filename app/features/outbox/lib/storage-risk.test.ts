import { expect, test } from 'vitest';
import { storageRisk } from './storage-risk.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const IPAD_OR_MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile';

test.each([
  ['Safari on an iPhone', 'seven_days', IPHONE, 5, false, false],
  ['an app on the home screen of an iPhone', 'none', IPHONE, 5, true, true],
  ['Safari on an iPad', 'seven_days', IPAD_OR_MAC, 5, false, true],
  ['Safari on a Mac', 'none', IPAD_OR_MAC, 0, false, true],
  ['a browser with persistent storage', 'none', ANDROID, 5, false, true],
  ['a browser without persistent storage', 'low_space', ANDROID, 5, false, false],
] as const)('%s has the storage risk %s', (_, risk, userAgent, maxTouchPoints, isStandalone, isPersisted) => {
  expect(storageRisk({ userAgent, maxTouchPoints, isStandalone, isPersisted })).toBe(risk);
});
