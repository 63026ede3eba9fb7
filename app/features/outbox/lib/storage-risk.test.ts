import { expect, test } from 'vitest';
import { storageRisk } from './storage-risk.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const IPAD_OR_MAC = `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`;
const CHROME_ON_MAC = `${MAC} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`;
const ANDROID = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile';

test.each([
  ['Safari on an iPhone', 'seven_days', { userAgent: IPHONE, isPersisted: false }],
  ['an app on the home screen of an iPhone', 'none', { userAgent: IPHONE, isStandalone: true }],
  ['Safari on an iPad', 'seven_days', { userAgent: IPAD_OR_MAC }],
  ['Safari on a Mac', 'seven_days', { userAgent: IPAD_OR_MAC, maxTouchPoints: 0 }],
  ['an app in the Dock of a Mac', 'none', { userAgent: IPAD_OR_MAC, maxTouchPoints: 0, isStandalone: true }],
  ['Chrome on a Mac, with persistent storage,', 'none', { userAgent: CHROME_ON_MAC, maxTouchPoints: 0 }],
  ['a browser with persistent storage', 'none', { userAgent: ANDROID }],
  ['a browser without persistent storage', 'low_space', { userAgent: ANDROID, isPersisted: false }],
] as const)('%s has the storage risk %s', (_, risk, facts) => {
  const defaults = { maxTouchPoints: 5, isStandalone: false, isPersisted: true };
  expect(storageRisk({ ...defaults, ...facts })).toBe(risk);
});
