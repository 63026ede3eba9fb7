import { expect, test } from 'vitest';
import { pageOf } from './rules.ts';

test.each([
  ['/', 'index'],
  ['/auth', 'auth'],
  ['/auth?next=%2Fhome', 'auth'],
  ['/auth?tab=signup', 'auth-signup'],
  ['/auth?ref=ABC', 'auth-signup'],
  ['/home', 'home'],
  ['/home?tab=refer', 'home'],
  ['/home/', 'index'],
  ['/auth-signup', 'index'],
  ['/poll/0190', 'index'],
  ['/s/x7Kp2mQvT9dGh0aZ_b-Xyw', 'share'],
  ['/s/', 'index'],
  ['/s/x/card.jpg', 'index'],
])('the address %s is served by the page %s', (path, page) => {
  expect(pageOf(new URL(path, 'https://example.org'))).toBe(page);
});
