import { expect, type Page } from '@playwright/test';
import { newName, signUp } from './testing/people.ts';
import { DESKTOP, expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { test } from './testing/test.ts';

type Screen = { path: string; title: string; heading: string };

const SCREENS: readonly Screen[] = [
  { path: '/', title: 'Points', heading: 'Your points' },
  { path: '/points', title: 'Points', heading: 'Tips' },
  { path: '/explore', title: 'Explore', heading: 'Coming Soon' },
  { path: '/referrals', title: 'Refer & Earn', heading: 'Bring a friend' },
  { path: '/profile', title: 'Profile', heading: 'No polls created yet' },
  { path: '/profile?tab=activity', title: 'Profile', heading: 'Activity Coming Soon' },
  { path: '/my-polls', title: 'My polls', heading: 'No polls created yet' },
  { path: '/settings', title: 'Settings', heading: 'Account Information' },
  { path: '/notifications', title: 'Notifications', heading: 'No Notifications Yet' },
  { path: '/diagnostic', title: 'Diagnostic', heading: 'Service worker' },
];

async function open(page: Page, { path, title, heading }: Screen): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { name: heading })).toBeVisible();
  await expect(page).toHaveTitle(`${title} · This or That?`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expectNoSidewaysScroll(page);
}

for (const viewport of [PHONE, DESKTOP]) {
  for (const theme of ['dark', 'light']) {
    test(`every screen opens at ${viewport.width} px in the ${theme} theme`, async ({ newPerson }) => {
      const { page } = await newPerson({ viewport });
      await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
      await signUp(page, newName('quinn'));
      for (const screen of SCREENS) {
        await open(page, screen);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      }
    });
  }
}

test('no screen scrolls sideways on the smallest phone, however long the name', async ({ newPerson }) => {
  const { page } = await newPerson({ viewport: SMALLEST });
  await signUp(page, newName('rosalind-with-a-long-name'));
  for (const screen of SCREENS) await open(page, screen);
});

test('with no network every screen opens after a first visit', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  await signUp(page, newName('sven'));
  await page.goto('/profile');
  await expect(page.getByRole('heading', { name: 'No polls created yet' })).toBeVisible();
  await page.evaluate(() => navigator.serviceWorker.ready);

  watch.expectLosses();
  await page.context().setOffline(true);
  for (const screen of SCREENS) await open(page, screen);
});

test('own polls that this device has never seen say so without a network', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  await signUp(page, newName('tess'));
  await page.evaluate(() => navigator.serviceWorker.ready);

  watch.expectLosses();
  await page.context().setOffline(true);
  await page.goto('/my-polls');
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
});

test('a visitor of each screen is led to /auth and back', async ({ newPerson }) => {
  const { page } = await newPerson();
  for (const { path } of SCREENS) {
    await page.goto(path);
    await expect(page).toHaveURL(`/auth?${new URLSearchParams({ next: path })}`);
  }
});

test('the bottom nav leads everywhere and marks where one is', async ({ newPerson }) => {
  const { page } = await newPerson({ viewport: PHONE });
  await signUp(page, newName('uma'));
  const below = page.locator('#bottom-nav');
  await expect(below.getByRole('link')).toHaveText(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  for (const [name, path] of [
    ['Points', '/'],
    ['Explore', '/explore'],
    ['Refer', '/referrals'],
    ['Profile', '/profile'],
    ['Polls', '/home'],
  ] as const) {
    await below.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(below.locator('[aria-current=page]')).toHaveText([name]);
    await expect(page.locator('#main')).toBeFocused();
  }
  await page.goto('/points');
  await expect(below.locator('[aria-current=page]')).toHaveText(['Points']);
});

test('header and menu lead to the rest, the logo to the start', async ({ newPerson }) => {
  const { page } = await newPerson({ viewport: DESKTOP });
  await signUp(page, newName('vera'));
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('navigation', { name: 'Main' }).getByRole('link')).toHaveText([
    'Polls',
    'Points',
    'Explore',
    'Refer',
  ]);
  for (const [name, path] of [
    ['My polls', '/my-polls'],
    ['Profile', '/profile'],
    ['Settings', '/settings'],
    ['Polls', '/home'],
    ['Explore', '/explore'],
    ['Refer', '/referrals'],
    ['Points', '/'],
  ] as const) {
    await page.getByRole('button', { name: 'Menu' }).click();
    await banner.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(path);
    await expect(banner.getByRole('navigation', { name: 'Menu' })).toBeHidden();
  }
  await banner.getByRole('link', { name: 'Notifications' }).click();
  await expect(page).toHaveURL('/notifications');
  await banner.getByRole('link', { name: 'This or That?' }).click();
  await expect(page).toHaveURL('/');
  await page.getByRole('link', { name: 'Start Exploring' }).click();
  await expect(page).toHaveURL('/explore');
});
