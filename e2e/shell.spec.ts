import { expect } from '@playwright/test';
import { LOGGED_IN_COOKIE } from '#shared/http.ts';
import { DESKTOP, expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, createPoll, logIn, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('an unknown path shows the 404 screen, whose header leads back', async ({ newUser }) => {
  const { page } = await newUser();
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

test('a spinner is shown while the user is being loaded', async ({ newUser, server }) => {
  const { page } = await newUser();
  // Without this cookie the app knows that nobody is logged in.
  await page.context().addCookies([{ name: LOGGED_IN_COOKIE, value: '1', url: server.address }]);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/user', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/points');
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toBeVisible();
  await expect(page).toHaveURL('/points');
  release();
  await expect(page).toHaveURL('/auth?next=%2Fpoints');
});

test('a visitor is redirected to /auth and, after the login, to the requested page', async ({ newUser }) => {
  const question = 'Upstairs or downstairs?';
  const name = newName('jack');
  const { page } = await newUser();
  await registerAndOpenHome(page, name);
  await createPoll(page, { question, captions: ['Up', 'Down'] });
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page).toHaveURL(/\/poll\//);
  const address = page.url();

  const { page: otherPage } = await newUser();
  await otherPage.goto(address);
  await expect(otherPage).toHaveURL(/\/auth\?next=%2Fpoll%2F/);
  await logIn(otherPage, name);
  await expect(otherPage).toHaveURL(address);
  await expect(otherPage.getByRole('heading', { name: question })).toBeVisible();
});

test('after the redirect to /auth its content has the focus, even when its chunk loads late', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await page.route(/\/assets\/auth-[\w-]+\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await page.goto('/points');
  await expect(page).toHaveURL(/\/auth\?/);
  await expect(page.locator('#main')).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();
});

test('a URL of another site in ?next= is not followed', { tag: '@core' }, async ({ newUser }) => {
  const name = newName('kim');
  const { page } = await newUser();
  await register(page, name);
  const { page: otherPage } = await newUser();
  await otherPage.goto('/auth?next=https://example.com/');
  await logIn(otherPage, name);
  await expect(otherPage).toHaveURL(/localhost:\d+\/$/);
});

test('the theme is dark by default, and a choice is kept', async ({ newUser }) => {
  const { page } = await newUser({ viewport: DESKTOP, colorScheme: 'light' });
  await registerAndOpenHome(page, newName('lena'));
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

test('visitors can choose the theme, too', async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('maja'));
  const { shareUrl = '' } = await postPoll(maker, newName('Dark or light?'));
  const { page } = await newUser({ viewport: SMALLEST });
  for (const [path, label, theme] of [
    ['/rules', 'Light', 'light'],
    ['/no-such-page', 'System', 'light'],
    [new URL(shareUrl).pathname, 'Dark', 'dark'],
  ] as const) {
    await page.goto(path);
    const button = page.getByRole('button', { name: /^Theme: / });
    await button.click();
    await page.getByRole('radio', { name: label }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    // The header keeps one row.
    expect((await page.getByRole('banner').boundingBox())?.height).toBe(56);
  }
});

test('a phone has its navigation at the bottom, a desktop in the header', async ({ newUser }) => {
  const { page } = await newUser({ viewport: PHONE });
  await registerAndOpenHome(page, newName('mia'));
  const bottomNav = page.locator('#bottom-nav');
  await expect(bottomNav).toBeVisible();
  await expect(bottomNav.getByRole('link', { name: 'Polls' })).toHaveAttribute('aria-current', 'page');
  await expect(bottomNav.getByRole('link')).toHaveText(['Points', 'Polls', 'Explore', 'Refer', 'Profile']);
  await expect(page.getByRole('banner').getByRole('navigation', { name: 'Main' })).toBeHidden();

  await page.setViewportSize({ width: 768, height: 812 });
  await expect(bottomNav).toBeVisible();
  await page.setViewportSize({ width: 769, height: 812 });
  await expect(bottomNav).toBeHidden();
  await page.setViewportSize(DESKTOP);
  await expect(bottomNav).toBeHidden();
  await expect(page.getByRole('banner').getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('no style rule applies :has() to the root, which would slow down the addition of every element', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await register(page, newName('mara'));
  await page.goto('/explore');
  await expect(page.getByRole('heading', { name: 'Explore' })).toBeAttached();
  const selectors = await page.evaluate(() => {
    const selectorsOf = (rule: CSSRule | CSSStyleSheet): string[] => [
      ...(rule instanceof CSSStyleRule ? [rule.selectorText] : []),
      ...('cssRules' in rule ? [...(rule.cssRules as CSSRuleList)].flatMap(selectorsOf) : []),
    ];
    return [...document.styleSheets].flatMap(selectorsOf);
  });
  expect(selectors).toContain('.has-deck');
  const rootWithHas = /^(:where\()?(:root|html|\.has-(deck|modal|bottom-nav))[^ ]*:has\(/;
  expect(selectors.filter((selector) => rootWithHas.test(selector))).toEqual([]);
});

test('on the smallest phone the page does not scroll horizontally, even with long words', async ({
  newUser,
}) => {
  const question = 'Words that are very longandneverendorbreakanywhere or short ones?';
  const { page } = await newUser({ viewport: SMALLEST });
  await page.goto('/auth');
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expectNoHorizontalScroll(page);

  await registerAndOpenHome(page, newName('noah-with-a-long-name'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoHorizontalScroll(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await createPoll(page, { question, captions: ['Averyveryverylongcaption', 'Short'] });
  await expectNoHorizontalScroll(page);
  await page.getByRole('tab', { name: 'Refer & Earn' }).click();
  await expectNoHorizontalScroll(page);
  await page.getByRole('tab', { name: 'Polls' }).click();
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page.getByRole('heading', { name: question })).toBeVisible();
  await expectNoHorizontalScroll(page);
});
