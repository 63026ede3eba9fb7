import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, points } from './testing/user-actions.ts';

/** Aborts the requests for a chunk of the app until the returned function is called. */
async function abortChunk(page: Page, chunk: string): Promise<() => Promise<void>> {
  const address = new RegExp(`/assets/${chunk}-[\\w-]+\\.js$`);
  await page.route(address, (route) => route.abort());
  return () => page.unroute(address);
}

for (const chunk of ['points-badge', 'theme-toggle', 'menu']) {
  test(`without the chunk ${chunk} the screen and the rest of the header are shown`, async ({ newUser }) => {
    const { page, monitor } = await newUser({ serviceWorkers: 'block' });
    monitor.expectNetworkErrors();
    monitor.expectUncaughtError(/dynamically imported module/);
    await register(page, newName('lotte'));
    await abortChunk(page, chunk);
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes(`/${chunk}-`));
    await page.goto('/points');
    await failed;
    await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();
    await expect(
      page.getByRole('heading', { name: /^(Not on this device yet|Application Error)$/ }),
    ).toHaveCount(0);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Notifications' })).toBeVisible();
    if (chunk !== 'points-badge') await expect(points(page)).toHaveText('10');
    await page.getByRole('button', { name: 'Menu' }).click();
    // Without its chunk the menu only offers to reload.
    const button = chunk === 'menu' ? 'Reload Now' : 'Log out';
    await expect(page.getByRole('banner').getByRole('button', { name: button })).toBeVisible();
  });
}

test('a dialog that cannot be loaded shows an error, and the login form keeps its input', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectUncaughtError(/dynamically imported module/);
  await abortChunk(page, 'forgot-password-dialog');
  await page.goto('/auth');
  await page.getByLabel('Username or email').fill('lotte');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  await expect(page.getByLabel('Username or email')).toHaveValue('lotte');
});

test('a menu that cannot be loaded shows an error', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectUncaughtError(/dynamically imported module/);
  await register(page, newName('leo'));
  const { id } = await postPoll(page, 'Menu or page?');
  await abortChunk(page, 'poll-menu');
  await page.goto(`/poll/${id}`);
  const button = page.getByRole('main').getByRole('button', { name: 'More actions' });
  await button.click();
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  await expect(button).toHaveAttribute('aria-expanded', 'false');
});

test('a dialog for a new poll that cannot be loaded shows an error and leaves the screen as it was', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectUncaughtError(/dynamically imported module/);
  await register(page, newName('lars'));
  await abortChunk(page, 'create-poll-dialog');
  await page.goto('/my-polls');
  await page.getByRole('button', { name: 'Create Poll' }).first().click();
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'My Polls', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/my-polls$/);
  // The state of the history entry says whether the dialog is open.
  await expect.poll(() => page.evaluate(() => window.history.state?.usr?.isCreating ?? false)).toBe(false);
});

test('a screen whose chunk failed to load is shown after Try Again', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectUncaughtError(/dynamically imported module/);
  await register(page, newName('lorenz'));
  const restore = await abortChunk(page, 'explore');
  await page.goto('/points');
  await page.locator('#bottom-nav').getByRole('link', { name: 'Explore' }).click();
  await expect(page.getByRole('heading', { name: 'Not on this device yet' })).toBeVisible();
  await restore();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('heading', { name: 'Explore' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Not on this device yet' })).toHaveCount(0);
});

test('offline, a screen that was never loaded says that it needs a connection, and Try Again does not leave the app', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectUncaughtError(/dynamically imported module|preload CSS/);
  await register(page, newName('lucia'));
  await page.goto('/points');
  // The connection card is loaded last.
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page.locator('#bottom-nav').getByRole('link', { name: 'Explore' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The first time, this screen needs a connection to the server.');
  await expectNoViolations(page, 'a screen that is not on the device');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('Connection Issue')).toBeVisible();
  await expect(alert).toBeVisible();

  await page.context().setOffline(false);
  await expect(page.getByText('Connection Issue')).toBeHidden();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('heading', { name: 'Explore' })).toBeVisible();
});
