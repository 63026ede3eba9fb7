import { expect, type Page } from '@playwright/test';
import { readQueue } from './testing/device-db.ts';
import { phonePhoto } from './testing/photos.ts';
import { DRAFT_STORED_WITHIN_MS, postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { COLOURS, card, expectImages, newName, points, SMALL_PHOTO_PX } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const COUNTDOWN_MS = 10_000;
/** Longer than the app takes to open the dialog with a stored draft after a reload. */
const DRAFT_OPENED_WITHIN_MS = 1_000;

/** Causes an uncaught error or rejection in the page, or an error on its console. */
async function causeError(page: Page, kind: 'error' | 'rejection' | 'console', text: string): Promise<void> {
  await page.evaluate(
    ([how, message]) => {
      const error = new TypeError(message);
      if (how === 'rejection') void Promise.reject(error);
      // Not as `console.error`, which the linter forbids.
      else if (how === 'console') Reflect.get(window, 'console').error('Something is wrong:', error);
      else {
        setTimeout(() => {
          throw error;
        });
      }
    },
    [kind, text] as const,
  );
}

test('an uncaught error shows the Application Error screen, and the app reloads automatically once', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  monitor.expectUncaughtError(/provoked/);
  await page.clock.install();
  await registerAndOpenHome(page, newName('abel'));
  // The app listens for errors once it runs.
  await expect(points(page)).toHaveText('10');
  const title = page.getByRole('heading', { name: 'Application Error' });

  for (const kind of ['error', 'rejection', 'console'] as const) {
    await test.step(`${kind}: Try Again returns to the same screen`, async () => {
      await causeError(page, kind, 'provoked');
      await expect(title).toBeVisible();
      await page.getByRole('button', { name: 'Try Again' }).click();
      await expect(title).toBeHidden();
      await expect(page.getByRole('button', { name: 'Create Poll' })).toBeVisible();
    });
  }

  await test.step('the countdown ends in a reload', async () => {
    await page.evaluate(() => Reflect.set(window, 'isFromBeforeReload', true));
    await causeError(page, 'error', 'provoked');
    await expect(page.getByText('The app reloads in 10 seconds.')).toBeVisible();
    await page.clock.runFor(COUNTDOWN_MS - 1_000);
    await expect(page.getByText('The app reloads in 1 second.')).toBeVisible();
    await page.clock.runFor(1_000);
    await expect(title).toBeHidden();
    await expect.poll(() => page.evaluate(() => Reflect.get(window, 'isFromBeforeReload'))).toBeUndefined();
    await expect(page.getByRole('button', { name: 'Create Poll' })).toBeVisible();
  });

  await test.step('the second time, there is no countdown and the user has to reload', async () => {
    await causeError(page, 'error', 'provoked');
    await expect(title).toBeVisible();
    await expect(page.getByText('The app reloads')).toHaveCount(0);
    await page.clock.runFor(2 * COUNTDOWN_MS);
    // At a repeated Escape, a browser closes a dialog even if the page cancels the event: the app has to open the dialog again.
    for (let count = 0; count < 3; count++) await page.keyboard.press('Escape');
    await expect(title).toBeVisible();
    await page.getByRole('button', { name: 'Reload Now' }).click();
    await expect(title).toBeHidden();
    await expect(page.getByRole('button', { name: 'Create Poll' })).toBeVisible();
  });
});

test('a draft survives the reload after an application error', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectUncaughtError(/provoked/);
  await registerAndOpenHome(page, newName('clara'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await dialog.getByLabel('Question').fill('Cliff or cave?');
  const buffer = await phonePhoto(COLOURS.a.top, COLOURS.a.bottom, SMALL_PHOTO_PX);
  await dialog.getByLabel('Add image B').setInputFiles({ name: 'b.jpg', mimeType: 'image/jpeg', buffer });
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  await causeError(page, 'error', 'provoked');
  await page.getByRole('button', { name: 'Reload Now' }).click();

  await expect(dialog.getByLabel('Question')).toHaveValue('Cliff or cave?');
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await expectImages(dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await page.waitForTimeout(DRAFT_OPENED_WITHIN_MS);
  await expect(dialog).toBeHidden();
});

test('a waiting vote survives the reload after an application error, and is sent once', {
  tag: '@core',
}, async ({ newUser }) => {
  const question = newName('Ship or shore?');
  const { page: maker } = await newUser();
  await register(maker, newName('mira'));
  await postPoll(maker, question);
  const { page, monitor } = await newUser();
  monitor.expectUncaughtError(/provoked/);
  monitor.expectNetworkErrors();
  const { id: userId } = await registerAndOpenHome(page, newName('vera'));
  await page.route('**/vote', (route) => route.abort('connectionfailed'));
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect(card(page, question)).toContainText('Waiting to sync');
  await causeError(page, 'error', 'provoked');
  await page.getByRole('button', { name: 'Reload Now' }).click();

  await expect(card(page, question)).toContainText('Waiting to sync');
  expect((await readQueue(page, userId)).ops).toMatchObject([{ type: 'vote' }]);
  const sent: string[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('/vote')) sent.push(request.url());
  });
  await page.unroute('**/vote');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(points(page)).toHaveText('11');
  await expect(card(page, question)).not.toContainText('Waiting to sync');
  expect((await readQueue(page, userId)).ops).toEqual([]);
  // Playwright may report the end of the request later than the page shows its effect.
  await expect.poll(() => sent).toHaveLength(1);
});

test('a network failure or an abort does not show the Application Error screen', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectUncaughtError(/Failed to fetch|aborted/);
  await registerAndOpenHome(page, newName('bruno'));
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await causeError(page, 'rejection', 'Failed to fetch');
  await causeError(page, 'error', 'Failed to fetch dynamically imported module: /assets/x.js');
  await causeError(page, 'console', 'Failed to fetch');
  await page.evaluate(() => void Promise.reject(new DOMException('aborted', 'AbortError')));
  await page.getByRole('tab', { name: 'Refer & Earn' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Refer & Earn' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Application Error' })).toHaveCount(0);
});
