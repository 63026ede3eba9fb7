import { expect, test } from 'vitest';
import { paths } from './paths.ts';

test('a referral link carries its code as one parameter, whatever it is made of', () => {
  expect(paths.auth.href({ ref: 'NK7F2Q' })).toBe('/auth?ref=NK7F2Q');
  expect(paths.auth.href({ ref: 'a&b=c' })).toBe('/auth?ref=a%26b%3Dc');
});

test('without parameters a link has no question mark', () => {
  expect(paths.auth.href()).toBe('/auth');
  expect(paths.home.href({})).toBe('/home');
});

test('the way back survives a detour over /auth', () => {
  const link = new URL(paths.auth.href({ next: '/home?tab=refer#top' }), 'https://thisorthat.example');
  expect(link.searchParams.get('next')).toBe('/home?tab=refer#top');
});
