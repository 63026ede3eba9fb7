import { expect, test } from 'vitest';
import { storageRisk } from './storage-risk.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const IPAD_OR_MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile';

test.each([
  ['Safari on an iPhone', 'seven_days', { userAgent: IPHONE, isPersisted: false }],
  ['an app on the home screen of an iPhone', 'none', { userAgent: IPHONE, isStandalone: true }],
  ['Safari on an iPad', 'seven_days', { userAgent: IPAD_OR_MAC }],
  ['Safari on a Mac', 'none', { userAgent: IPAD_OR_MAC, maxTouchPoints: 0 }],
  ['a browser with persistent storage', 'none', { userAgent: ANDROID }],
  ['a browser without persistent storage', 'low_space', { userAgent: ANDROID, isPersisted: false }],
] as const)('%s has the storage risk %s', (_, risk, facts) => {
  const defaults = { maxTouchPoints: 5, isStandalone: false, isPersisted: true };
  expect(storageRisk({ ...defaults, ...facts })).toBe(risk);
});
