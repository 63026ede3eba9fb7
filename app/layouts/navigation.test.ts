import { expect, test } from 'vitest';
import { menuDestinations } from './menu-destinations.tsx';
import { bottomDestinations, headerDestinations } from './navigation.tsx';

const links = (destinations: { label: string; to: string }[]) =>
  Object.fromEntries(destinations.map(({ label, to }) => [label, to]));

test('the bottom navigation shows Points, Polls, Explore, Refer and Profile', () => {
  const destinations = bottomDestinations(false);
  expect(destinations.map(({ label }) => label)).toEqual(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  expect(links(destinations)).toEqual({
    Points: '/',
    Polls: '/home',
    Explore: '/explore',
    Refer: '/referrals',
    Profile: '/profile',
  });
});

test('administrators see Admin in place of Refer in every navigation', () => {
  for (const destinations of [bottomDestinations, headerDestinations, menuDestinations]) {
    const index = destinations(false).findIndex(({ label }) => label === 'Refer');
    expect(destinations(true)[index]).toMatchObject({ label: 'Admin', to: '/admin' });
    expect(links(destinations(true))).not.toHaveProperty('Refer');
    expect(links(destinations(false))).not.toHaveProperty('Admin');
  }
});

test('the menu links to every main screen', () => {
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
