import { expect, type Page } from '@playwright/test';
import { newName, points } from './testing/people.ts';
import { register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** Loses the requests for one part of the app; returns how to find it again. */
async function lose(page: Page, part: string): Promise<() => Promise<void>> {
  const place = new RegExp(`/assets/${part}-[\\w-]+\\.js$`);
  await page.route(place, (route) => route.abort());
  return () => page.unroute(place);
}

for (const part of ['points-badge', 'theme-toggle', 'menu']) {
  test(`without the part ${part} the screen and the rest of the header are there`, async ({ newPerson }) => {
    const { page, watch } = await newPerson({ serviceWorkers: 'block' });
    watch.expectLosses();
    watch.expectFault(/dynamically imported module/);
    await register(page, newName('lotte'));
    await lose(page, part);
    const lost = page.waitForEvent('requestfailed', (request) => request.url().includes(`/${part}-`));
    await page.goto('/points');
    await lost;
    await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Something broke here' })).toHaveCount(0);
    if (part !== 'points-badge') await expect(points(page)).toHaveText('10');
    await page.getByRole('button', { name: 'Menu' }).click();
    const way = part === 'menu' ? 'Reload Now' : 'Log out';
    await expect(page.getByRole('banner').getByRole('button', { name: way })).toBeVisible();
  });
}

test('a dialog that could not be loaded says so, and the login stays', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  watch.expectLosses();
  watch.expectFault(/dynamically imported module/);
  await lose(page, 'forgot-password-dialog');
  await page.goto('/auth');
  await page.getByLabel('Username or email').fill('lotte');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await expect(page.getByText('The dialog could not be loaded')).toBeVisible();
  await expect(page.getByLabel('Username or email')).toHaveValue('lotte');
});

test('a screen whose part was lost is there after Try Again', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  watch.expectLosses();
  watch.expectFault(/dynamically imported module/);
  await register(page, newName('lorenz'));
  const find = await lose(page, 'explore');
  await page.goto('/points');
  await page.locator('#bottom-nav').getByRole('link', { name: 'Explore' }).click();
  await expect(page.getByRole('heading', { name: 'Something broke here' })).toBeVisible();
  await find();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
});
