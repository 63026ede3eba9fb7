import { expect } from '@playwright/test';
import { LOGGED_IN_COOKIE } from '#shared/http.ts';
import { card, createPoll, logIn, newName } from './testing/people.ts';
import { DESKTOP, expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { joinIn } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

test('an unknown address says so and leads back', async ({ newPerson }) => {
  const { page } = await newPerson();
  await page.goto('/no/such/page');
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
  await expect(page.getByText('Did you forget to add the page to the router?')).toBeVisible();

  const banner = page.getByRole('banner');
  await expect(banner.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/auth?tab=signup');
  await expect(banner.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/auth');
  await banner.getByRole('link', { name: 'This or That?' }).click();
  await expect(page).toHaveURL('/auth');
  await expect(page.getByRole('tab')).toHaveText(['Log In', 'Sign Up']);
});

test('while it is not known who is there, a spinner stands in the place of the screen', async ({
  newPerson,
  server,
}) => {
  const { page } = await newPerson();
  // Without it the app knows that nobody is logged in.
  await page.context().addCookies([{ name: LOGGED_IN_COOKIE, value: '1', url: server.address }]);
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/user', async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto('/points');
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toBeVisible();
  await expect(page).toHaveURL('/points');
  answer();
  await expect(page).toHaveURL('/auth?next=%2Fpoints');
});

test('a visitor is led to /auth and, once logged in, to where they wanted', async ({ newPerson }) => {
  const question = 'Upstairs or downstairs?';
  const name = newName('jack');
  const { page } = await newPerson();
  await joinIn(page, name);
  await createPoll(page, { question, captions: ['Up', 'Down'] });
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page).toHaveURL(/\/poll\//);
  const address = page.url();

  const { page: elsewhere } = await newPerson();
  await elsewhere.goto(address);
  await expect(elsewhere).toHaveURL(/\/auth\?next=%2Fpoll%2F/);
  await logIn(elsewhere, name);
  await expect(elsewhere).toHaveURL(address);
  await expect(elsewhere.getByRole('heading', { name: question })).toBeVisible();
});

test('whoever is led to /auth has the focus on its content, also when it arrives late', async ({
  newPerson,
}) => {
  const { page } = await newPerson();
  await page.route(/\/assets\/auth-[\w-]+\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await page.goto('/points');
  await expect(page).toHaveURL(/\/auth\?/);
  await expect(page.locator('#main')).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();
});

test('an address of another site in next is not followed', async ({ newPerson }) => {
  const name = newName('kim');
  const { page } = await newPerson();
  await joinIn(page, name);
  const { page: elsewhere } = await newPerson();
  await elsewhere.goto('/auth?next=https://example.com/');
  await logIn(elsewhere, name);
  await expect(elsewhere).toHaveURL(/localhost:\d+\/$/);
});

test('the theme is dark at first, and a choice stays', async ({ newPerson }) => {
  const { page } = await newPerson({ serviceWorkers: 'allow', viewport: DESKTOP, colorScheme: 'light' });
  await joinIn(page, newName('lena'));
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Theme: Dark' }).click();
  await page.getByRole('radio', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.getByRole('button', { name: 'Theme: Light' }).click();
  await expect(page.getByRole('radio')).toHaveText(['Light', 'Dark', 'System']);
  await page.getByRole('radio', { name: 'System' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('a phone has its navigation below, a desktop in the header', async ({ newPerson }) => {
  const { page } = await newPerson({ serviceWorkers: 'allow', viewport: PHONE });
  await joinIn(page, newName('mia'));
  const below = page.locator('#bottom-nav');
  await expect(below).toBeVisible();
  await expect(below.getByRole('link', { name: 'Polls' })).toHaveAttribute('aria-current', 'page');
  await expect(below.getByRole('link')).toHaveText(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  await expect(page.getByRole('banner').getByRole('navigation', { name: 'Main' })).toBeHidden();

  await page.setViewportSize({ width: 768, height: 812 });
  await expect(below).toBeVisible();
  await page.setViewportSize({ width: 769, height: 812 });
  await expect(below).toBeHidden();
  await page.setViewportSize(DESKTOP);
  await expect(below).toBeHidden();
  await expect(page.getByRole('banner').getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('no dialog, tab or poll scrolls sideways on the smallest phone, however long its words', async ({
  newPerson,
}) => {
  const question = 'Words that are very longandneverendorbreakanywhere or short ones?';
  const { page } = await newPerson({ viewport: SMALLEST });
  await page.goto('/auth');
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expectNoSidewaysScroll(page);

  await joinIn(page, newName('noah-with-a-long-name'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await createPoll(page, { question, captions: ['Averyveryverylongcaption', 'Short'] });
  await expectNoSidewaysScroll(page);
  await page.getByRole('tab', { name: 'Refer & Earn' }).click();
  await expectNoSidewaysScroll(page);
  await page.getByRole('tab', { name: 'Polls' }).click();
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page.getByRole('heading', { name: question })).toBeVisible();
  await expectNoSidewaysScroll(page);
});
