import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { expectFocusShown } from './testing/screens.ts';
import { register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, PASSWORD } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a user’s data can be prepared and downloaded', { tag: '@core' }, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('olga'));
  await page.goto('/settings');
  const panel = page.getByRole('region', { name: 'Your data' });
  const [outcome, offlineNote] = [panel.getByRole('status').first(), panel.getByRole('status').last()];
  // Screen readers announce what appears in a live region only if the region itself was there before.
  for (const region of [outcome, offlineNote]) await expect(region).toBeEmpty();
  await page.getByRole('button', { name: 'Get it ready' }).click();
  await expect(outcome.getByText(/^Ready: /)).toBeVisible({ timeout: 30_000 });
  await expect(panel.locator(':focus')).toHaveCount(1);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const file = await readFile(await (await downloading).path());
  // The first bytes of a ZIP archive.
  expect(file.subarray(0, 2).toString()).toBe('PK');
  expect(file.includes('data.json')).toBe(true);
  // The download remains available after a reload.
  await page.reload();
  await expect(page.getByText(/^Ready: /)).toBeVisible();

  // A new one replaces it, even if the response to the request is lost.
  monitor.expectNetworkErrors();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/user/export', async (route) => {
    if (route.request().method() === 'GET') {
      await released;
      return route.continue();
    }
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Get a new one ready' }).click();
  await expect(panel.getByRole('alert')).toBeVisible();
  await expect(page.getByText(/^Ready: /)).toBeHidden();
  release();
  await expect(page.getByText(/^Ready: /)).toBeVisible({ timeout: 30_000 });
});

test('the deletion of an account is scheduled and can be cancelled', { tag: '@core' }, async ({
  newUser,
}) => {
  const name = newName('pia');
  const { page, monitor } = await newUser();
  monitor.expectStatus(403, /\/api\/user\/deletion$/);
  await register(page, name);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByRole('button', { name: 'Delete my account' }).click();
  await expect(dialog.getByText('Enter your password')).toBeVisible();
  await dialog.getByLabel('Password').first().fill('not my password');
  await dialog.getByRole('button', { name: 'Delete my account' }).click();
  await expect(dialog.getByText('This is not your current password')).toBeVisible();
  await dialog.getByRole('radio', { name: /^Delete them, with their images/ }).check();
  await dialog.getByLabel('Password').first().fill(PASSWORD);
  await test.step('the dialog stays open while the request runs', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/api/user/deletion', async (route) => {
      await held.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    const keepButton = dialog.getByRole('button', { name: 'Keep my account' });
    await expect(keepButton).toHaveAttribute('aria-disabled', 'true');
    await keepButton.click({ force: true });
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    held.resolve();
  });
  await expect(dialog).toHaveCount(0);
  const notice = page.getByRole('region', { name: /^Your account will be deleted on / });
  await expect(notice.getByText(`${name} and `)).toBeVisible();
  await expect(notice.getByText('Your polls will be deleted too.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete my account' })).toHaveCount(0);

  await notice.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByText('Your account will not be deleted')).toBeVisible();
  await expect(notice).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();

  await page.getByRole('button', { name: 'Delete my account' }).click();
  await dialog.getByLabel('Password').first().fill(PASSWORD);
  await test.step('after a failure, the dialog cancels the deletion, which may be scheduled', async () => {
    monitor.expectStatus(502, /\/api\/user\/deletion$/);
    monitor.expectStatus(503, /\/api\/user\/deletion$/);
    for (const [button, status] of [
      ['Delete my account', 502],
      ['Keep my account', 503],
    ] as const) {
      await page.route('**/api/user/deletion', (route) => route.fulfill({ status, body: '' }), { times: 1 });
      const responded = page.waitForResponse('**/api/user/deletion');
      await dialog.getByRole('button', { name: button }).click();
      await responded;
      await expect(dialog.getByRole('alert')).toHaveText(/not available right now/);
    }
  });
  await test.step('after the cancellation has failed, Escape closes the dialog', async () => {
    await page.route('**/api/user/deletion', (route) => route.fulfill({ status: 503, body: '' }));
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await page.unroute('**/api/user/deletion');
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await dialog.getByLabel('Password').first().fill(PASSWORD);
  });
  await test.step('the dialog stays open when the app learns of the deletion after a lost response', async () => {
    monitor.expectNetworkErrors();
    await page.route('**/api/user/deletion', (route) => route.fetch().then(() => route.abort()), {
      times: 1,
    });
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await expect(notice).toBeAttached();
    await dialog.getByRole('button', { name: 'Keep my account' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(notice).toHaveCount(0);
  });
});

test('the notice of a deletion can be read offline and after a failure, and its button shows the focus', async ({
  newUser,
}) => {
  // With reduced motion no element is half faded in when axe checks it.
  const { page, monitor } = await newUser({ reducedMotion: 'reduce' });
  await register(page, newName('quinn'));
  const response = await page.request.post('/api/user/deletion', {
    data: { password: PASSWORD, polls: 'keep' },
  });
  expect(response.status()).toBe(200);
  await page.goto('/settings');
  const notice = page.getByRole('region', { name: /^Your account will be deleted on / });
  const button = notice.getByRole('button', { name: 'Keep my account' });
  await expect(button).toBeVisible();

  monitor.expectStatus(500, /\/api\/user\/deletion$/);
  await page.route('**/api/user/deletion', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal' } }),
  );
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(notice.getByRole('alert')).toBeVisible();
  await expectNoViolations(page, 'a deletion that could not be cancelled');
  await expectFocusShown(button, notice);

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(notice.getByText('You are offline. Connect to keep your account.')).toBeVisible();
  await expectNoViolations(page, 'a deletion, offline');
});
