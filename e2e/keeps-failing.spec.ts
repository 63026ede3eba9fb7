import { expect, type Locator, type Page } from '@playwright/test';
import { registerAndOpenHome } from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';
import { createPoll, newName, points } from './testing/user-actions.ts';

/** Enough for five attempts with backoff. */
const FAILURES_TIMEOUT_MS = 40_000;

type FailingPoll = { page: Page; row: Locator; attempts(): number; unblock(): void };

const test = base.extend<{ failingPoll: FailingPoll }>({
  /** The outbox of a user whose poll a gateway has refused five times. */
  failingPoll: async ({ newUser }, use) => {
    const question = newName('Upload');
    // Requests of the service worker would bypass the route.
    const { page, monitor } = await newUser({ serviceWorkers: 'block' });
    let attempts = 0;
    let isBlocked = true;
    monitor.expectStatus(403, /\/api\/questions$/);
    await page.route('**/api/questions', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      attempts += 1;
      if (!isBlocked) return route.continue();
      return route.fulfill({ status: 403, contentType: 'text/html', body: 'Blocked' });
    });
    await registerAndOpenHome(page, newName('ines'));
    await createPoll(page, { question, captions: ['Up', 'Down'], message: 'Saved on this device' });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Outbox' }).click();
    const row = page.getByRole('listitem').filter({ hasText: question });
    await expect(row.getByText('Keeps failing.')).toBeVisible({ timeout: FAILURES_TIMEOUT_MS });
    const unblock = () => {
      isBlocked = false;
    };
    await use({ page, row, attempts: () => attempts, unblock });
  },
});

test('Try now sends a poll that keeps failing', async ({ failingPoll }) => {
  const { page, row, attempts, unblock } = failingPoll;
  expect(attempts()).toBe(5);
  await expect(row.getByRole('button', { name: /^Discard/ })).toHaveCount(1);
  unblock();
  await row.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  expect(attempts()).toBe(6);
  await expect(points(page)).toHaveText('0');
});

test('a poll that keeps failing is discarded after a confirmation', async ({ failingPoll }) => {
  const { page, row } = failingPoll;
  await row.getByRole('button', { name: 'Discard' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discard this poll?' });
  await expect(dialog).toContainText('If it has received this change, discarding does not undo it.');
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await expect(row.getByText('Keeps failing.')).toBeVisible();
  await row.getByRole('button', { name: 'Discard' }).click();
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await expect(points(page)).toHaveText('10');
});
