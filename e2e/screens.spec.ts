import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import {
  ADMIN_SCREENS,
  DECK,
  openScreen,
  PUBLIC_SCREENS,
  pollScreen,
  type Screen,
  shareScreen,
  USER_SCREENS,
  VISITOR_SCREENS,
} from './testing/every-screen.ts';
import { DESKTOP, expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import {
  fillAdminLists,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

async function open(page: Page, screen: Screen): Promise<void> {
  await openScreen(page, screen);
  await expectNoHorizontalScroll(page);
}

/** Saves a screenshot in `test-results` if SCREENSHOTS=1 is set. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  const file = `${name.replaceAll(/\W+/g, '-')}.png`;
  await page.screenshot({ path: test.info().outputPath(file), animations: 'disabled' });
}

async function openAll(page: Page, theme: string, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await open(page, screen);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await saveScreenshot(page, `${theme} phone ${screen.path}`);
    await page.setViewportSize(DESKTOP);
    await expect(page.getByRole('heading', { name: screen.heading }).first()).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expectNoHorizontalScroll(page);
    await saveScreenshot(page, `${theme} desktop ${screen.path}`);
    await page.setViewportSize(SMALLEST);
    await expectNoHorizontalScroll(page);
    await page.setViewportSize(PHONE);
  }
}

for (const theme of ['dark', 'light']) {
  test(`every screen opens on a phone and on a desktop in the ${theme} theme`, {
    tag: theme === 'dark' ? '@core' : [],
  }, async ({ newUser }) => {
    const { page } = await newUser({ viewport: PHONE });
    await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
    const { page: maker } = await newUser();
    await register(maker, newName('rosalind-with-a-long-name'));
    const shared = await postPoll(maker, 'Known or unknown?');
    await openAll(page, theme, [...VISITOR_SCREENS, shareScreen(shared)]);
    await register(page, newName('rosalind-with-a-long-name'));
    const poll = await postPoll(page, 'Quick or thorough?');
    await openAll(page, theme, [...USER_SCREENS, pollScreen(poll), ...PUBLIC_SCREENS]);
  });

  test(`the admin screens open on a phone and on a desktop in the ${theme} theme`, {
    tag: theme === 'dark' ? '@core' : [],
  }, async ({ newUser, server }) => {
    const { page } = await newUser({ viewport: PHONE });
    await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
    await fillAdminLists(page, server);
    await openAll(page, theme, ADMIN_SCREENS);
  });
}

test('the tests above visit every screen of the app', { tag: '@core' }, () => {
  const visited = [
    ...VISITOR_SCREENS,
    ...USER_SCREENS,
    ...ADMIN_SCREENS,
    ...PUBLIC_SCREENS,
    pollScreen({ id: '1', question: '' }),
    shareScreen({ shareUrl: 'http://localhost/s/1', question: '' }),
  ];
  const isVisited = (pattern: string) =>
    visited.some(({ path }) => new URLPattern({ pathname: pattern }).test(path, 'http://localhost'));
  expect(Object.values(paths).filter(({ pattern }) => !isVisited(pattern))).toEqual([]);
});

test('after a first visit every screen of a user and every public screen opens offline', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await register(page, newName('sven'));
  const poll = await postPoll(page, 'Screen or paper?');
  await page.goto('/profile');
  await expect(page.getByRole('article', { name: poll.question })).toBeVisible();
  await page.goto('/explore');
  await expect(page.getByText(DECK)).toBeVisible();
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await waitForServiceWorker(page);

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  for (const screen of [...USER_SCREENS, pollScreen(poll), ...PUBLIC_SCREENS]) await open(page, screen);
});

test('offline, My Polls says when its polls are not on this device yet', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await registerAndOpenHome(page, newName('tess'));
  await waitForServiceWorker(page);

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.goto('/my-polls');
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
});

test('a visitor of each protected screen is redirected to /auth with the way back', async ({ newUser }) => {
  const { page } = await newUser();
  for (const { path } of [
    ...USER_SCREENS,
    ...ADMIN_SCREENS,
    { path: '/poll/019a0000-0000-7000-8000-000000000001' },
  ]) {
    await page.goto(path);
    await expect(page).toHaveURL(`/auth?${new URLSearchParams({ next: path })}`);
  }
});

test('the bottom navigation leads to its screens and marks the current screen', async ({ newUser }) => {
  const { page } = await newUser({ viewport: PHONE });
  await registerAndOpenHome(page, newName('uma'));
  const bottomNav = page.locator('#bottom-nav');
  await expect(bottomNav.getByRole('link')).toHaveText(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  for (const [name, path] of [
    ['Points', '/'],
    ['Explore', '/explore'],
    ['Refer', '/referrals'],
    ['Profile', '/profile'],
    ['Polls', '/home'],
  ] as const) {
    await bottomNav.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(bottomNav.locator('[aria-current=page]')).toHaveText([name]);
    await expect(page.locator('#main')).toBeFocused();
  }
  await page.goto('/points');
  await expect(bottomNav.locator('[aria-current=page]')).toHaveText(['Points']);
});

test('the header lists the main screens, and its menu, bell and logo lead to the right screens', async ({
  newUser,
}) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await registerAndOpenHome(page, newName('vera'));
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
  const logo = banner.getByRole('link', { name: 'This or That?' });
  expect((await logo.boundingBox())?.height).toBe(44);
  await logo.click();
  await expect(page).toHaveURL('/');
  await page.getByRole('link', { name: 'Start Exploring' }).click();
  await expect(page).toHaveURL('/explore');
});
