import { expect, test } from 'vitest';
import { menuDestinations } from './menu-destinations.tsx';
import { bottomDestinations, headerDestinations } from './navigation.tsx';

const links = (destinations: { label: string; to: string }[]) =>
  Object.fromEntries(destinations.map(({ label, to }) => [label, to]));

test('below stand Points, Polls, Explore, Refer and Profile', () => {
  const below = bottomDestinations(false);
  expect(below.map(({ label }) => label)).toEqual(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  expect(links(below)).toEqual({
    Points: '/',
    Polls: '/home',
    Explore: '/explore',
    Refer: '/referrals',
    Profile: '/profile',
  });
});

test('administrators have Admin in the place of Refer, wherever that stands', () => {
  for (const destinations of [bottomDestinations, headerDestinations, menuDestinations]) {
    const place = destinations(false).findIndex(({ label }) => label === 'Refer');
    expect(destinations(true)[place]).toMatchObject({ label: 'Admin', to: '/admin' });
    expect(links(destinations(true))).not.toHaveProperty('Refer');
    expect(links(destinations(false))).not.toHaveProperty('Admin');
  }
});

test('the menu leads to every screen of its own', () => {
  expect(links(menuDestinations(false))).toEqual({
    Polls: '/home',
    Points: '/',
    Explore: '/explore',
    Refer: '/referrals',
    'My Polls': '/my-polls',
    Profile: '/profile',
    Settings: '/settings',
  });
});
