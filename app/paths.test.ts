import { expect, test } from 'vitest';
import { paths } from './paths.ts';

test('a referral link contains its code, URL-encoded', () => {
  expect(paths.auth.href({ ref: 'NK7F2Q' })).toBe('/auth?ref=NK7F2Q');
  expect(paths.auth.href({ ref: 'a&b=c' })).toBe('/auth?ref=a%26b%3Dc');
});

test('a link without parameters has no question mark', () => {
  expect(paths.auth.href()).toBe('/auth');
  expect(paths.home.href({})).toBe('/home');
});

test('the path to return to keeps its query and fragment in a link to /auth', () => {
  const link = new URL(paths.auth.href({ next: '/home?tab=refer#top' }), 'https://thisorthat.example');
  expect(link.searchParams.get('next')).toBe('/home?tab=refer#top');
});
