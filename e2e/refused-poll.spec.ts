import { expect } from '@playwright/test';
import {
  createPollWithoutPoints,
  DIALOG_CLOSED_WITHIN_MS,
  DIALOG_OPENED_WITHIN_MS,
  register,
  registerAndOpenHome,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, changeRow, newName, points } from './testing/user-actions.ts';

test('each retry of a refused poll, unchanged or edited, has a new key, and the poll is created once', {
  tag: '@core',
}, async ({ newUser }) => {
  const [original, edited] = [newName('Refused'), newName('Edited')];
  const name = newName('carl');
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  /** The keys of the attempts that got a response. Attempts while the device is offline get none, and repeat the first key. */
  const keys: (string | undefined)[] = [];
  page.on('response', (response) => {
    const request = response.request();
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && pathname === '/api/questions') {
      keys.push(request.headers()['idempotency-key']);
    }
  });
  const { referralCode } = await registerAndOpenHome(page, name);
  monitor.expectNetworkErrors();
  monitor.expectStatus(402, /\/api\/questions$/);
  monitor.expectStatus(404, /\/api\/questions\/[^/]+$/);

  await test.step('the poll is refused because its points were spent on another device', async () => {
    await createPollWithoutPoints(page, name, original, newUser);
    const link = await card(page, original).getByRole('link', { name: original }).getAttribute('href');
    await page.context().setOffline(false);
    await expect(page.getByText('Failed to create poll')).toBeVisible();
    await page.route('**/api/questions/*', (route) => route.abort());
    await page.goto(link ?? '');
    await expect(page.getByRole('heading', { name: 'Poll not posted' })).toBeVisible();
    await expect(page).toHaveTitle(/^Poll not posted/);
    await page.unroute('**/api/questions/*');
    await page.getByRole('link', { name: 'Open the outbox' }).click();
    await expect(page.getByRole('heading', { name: 'Needs attention · 1' })).toBeVisible();
    expect(keys.length).toBe(1);
  });

  await test.step('a double click on Edit opens one dialog, which Esc closes', async () => {
    await changeRow(page, original).getByRole('button', { name: 'Edit' }).dblclick();
    const form = page.getByRole('dialog', { name: 'Edit Poll' });
    await expect(form.getByLabel('Question')).toHaveValue(original);
    await page.waitForTimeout(DIALOG_OPENED_WITHIN_MS);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
    await expect(form).toBeHidden();
  });

  await test.step('Try again without enough points is refused again', async () => {
    await changeRow(page, original).getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => keys.length).toBe(2);
    await expect(changeRow(page, original)).toContainText('Poll not posted');
  });

  await test.step('with enough points the edited poll is created', async () => {
    for (const friend of ['dora', 'emil']) {
      const { page: friendPage } = await newUser();
      await register(friendPage, newName(friend), referralCode);
    }
    await expect(points(page)).toHaveText('11');
    await changeRow(page, original).getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Poll' });
    await form.getByLabel('Question').fill(edited);
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
    // The edited poll, not the refused one.
    await changeRow(page, original).getByRole('button', { name: 'Try again' }).click();
    await expect(form.getByLabel('Question')).toHaveValue(edited);
    await form.getByRole('button', { name: 'Create Poll' }).click();
    await expect(form).toBeHidden();
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
    await expect(points(page)).toHaveText('1');
    expect(new Set(keys).size).toBe(3);
    expect(keys).toHaveLength(3);
    await page.goto('/my-polls');
    await expect(card(page, edited)).toBeVisible();
    await expect(card(page, original)).toHaveCount(0);
  });
});
