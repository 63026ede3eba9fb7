import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import {
  FOR_ADMINS,
  FOR_ALL,
  FOR_USERS,
  FOR_VISITORS,
  openScreen,
  pollScreen,
  type Screen,
  shareScreen,
} from './testing/every-screen.ts';
import { newName } from './testing/people.ts';
import { DESKTOP, expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { fillTables, joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

async function open(page: Page, screen: Screen): Promise<void> {
  await openScreen(page, screen);
  await expectNoSidewaysScroll(page);
}

/** With SCREENSHOTS=1 a picture of the screen is kept in `test-results`, to be looked at. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  const file = `${name.replaceAll(/\W+/g, '-')}.png`;
  await page.screenshot({ path: test.info().outputPath(file), animations: 'disabled' });
}

async function openAll(page: Page, theme: string, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await open(page, screen);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await takePicture(page, `${theme} phone ${screen.path}`);
    await page.setViewportSize(DESKTOP);
    await expect(page.getByRole('heading', { name: screen.heading }).first()).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expectNoSidewaysScroll(page);
    await takePicture(page, `${theme} desktop ${screen.path}`);
    await page.setViewportSize(SMALLEST);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize(PHONE);
  }
}

for (const theme of ['dark', 'light']) {
  test(`every screen opens on a phone and on a desktop in the ${theme} theme`, async ({ newPerson }) => {
    const { page } = await newPerson({ viewport: PHONE });
    await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
    const { page: maker } = await newPerson();
    await register(maker, newName('rosalind-with-a-long-name'));
    const shared = await postPoll(maker, 'Known or unknown?');
    await openAll(page, theme, [...FOR_VISITORS, shareScreen(shared)]);
    await register(page, newName('rosalind-with-a-long-name'));
    const poll = await postPoll(page, 'Quick or thorough?');
    await openAll(page, theme, [...FOR_USERS, pollScreen(poll), ...FOR_ALL]);
  });

  test(`the administrators’ screens open on a phone and on a desktop in the ${theme} theme`, async ({
    newPerson,
    server,
  }) => {
    const { page } = await newPerson({ viewport: PHONE });
    await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
    await fillTables(page, server);
    await openAll(page, theme, FOR_ADMINS);
  });
}

test('no screen is left out', () => {
  const visited = [
    ...FOR_VISITORS,
    ...FOR_USERS,
    ...FOR_ADMINS,
    ...FOR_ALL,
    pollScreen({ id: '1', question: '' }),
    shareScreen({ shareUrl: 'http://localhost/s/1', question: '' }),
  ];
  const isVisited = (pattern: string) =>
    visited.some(({ path }) => new URLPattern({ pathname: pattern }).test(path, 'http://localhost'));
  expect(Object.values(paths).filter(({ pattern }) => !isVisited(pattern))).toEqual([]);
});

test('with no network every screen opens after a first visit', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  await register(page, newName('sven'));
  const poll = await postPoll(page, 'Screen or paper?');
  await page.goto('/profile');
  await expect(page.getByRole('article', { name: poll.question })).toBeVisible();
  await page.goto('/explore');
  await expect(page.getByText(/^(Skip|You have seen them all| ?Back to the deck)$/)).toBeVisible();
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await untilKept(page);

  watch.expectLosses();
  await page.context().setOffline(true);
  for (const screen of [...FOR_USERS, pollScreen(poll), ...FOR_ALL]) await open(page, screen);
});

test('own polls that this device has never seen say so without a network', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  await joinIn(page, newName('tess'));
  await untilKept(page);

  watch.expectLosses();
  await page.context().setOffline(true);
  await page.goto('/my-polls');
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
});

test('a visitor of each screen is led to /auth and back', async ({ newPerson }) => {
  const { page } = await newPerson({ serviceWorkers: 'allow' });
  for (const { path } of [...FOR_USERS, { path: '/poll/019a0000-0000-7000-8000-000000000001' }]) {
    await page.goto(path);
    await expect(page).toHaveURL(`/auth?${new URLSearchParams({ next: path })}`);
  }
});

test('the bottom nav leads everywhere and marks where one is', async ({ newPerson }) => {
  const { page } = await newPerson({ serviceWorkers: 'allow', viewport: PHONE });
  await joinIn(page, newName('uma'));
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
  const { page } = await newPerson({ serviceWorkers: 'allow', viewport: DESKTOP });
  await joinIn(page, newName('vera'));
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('navigation', { name: 'Main' }).getByRole('link')).toHaveText([
    'Polls',
    'Points',
    'Explore',
    'Refer',
  ]);
  for (const [name, path] of [
    ['My Polls', '/my-polls'],
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
