import { randomUUID } from 'node:crypto';
import { expect, type Locator, type Page } from '@playwright/test';
import {
  DIALOG_CLOSED_WITHIN_MS,
  DIALOG_OPENED_WITHIN_MS,
  postPoll,
  register,
  registerAndOpenHome,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, fillPoll, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Submits the dialog. The poll is not stored before the returned function says how many bytes are left on the device. */
async function submitAndHold(page: Page, dialog: Locator): Promise<(bytesLeft: number) => Promise<void>> {
  await page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<StorageEstimate>();
    Reflect.set(window, 'sayBytesLeft', (quota: number) => resolve({ usage: 0, quota }));
    navigator.storage.estimate = () => promise;
  });
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByRole('button', { name: 'Saving…' })).toBeVisible();
  return (bytesLeft) => page.evaluate((bytes) => Reflect.get(window, 'sayBytesLeft')(bytes), bytesLeft);
}

test('a poll that cannot be stored leaves its draft, even if the dialog was closed meanwhile', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('willa'));
  const dialog = await fillPoll(page, 'Keep or lose?');
  const sayBytesLeft = await submitAndHold(page, dialog);
  // What is edited now would be lost once the poll is stored.
  for (const label of ['Question', 'Caption of option A']) {
    await expect(dialog.getByLabel(label)).not.toBeEditable();
  }
  await expect(dialog.getByLabel('Replace image A')).toBeDisabled();
  await dialog.getByRole('radio', { name: '7 days' }).click();
  await expect(dialog.getByRole('radio', { name: '3 days' })).toBeChecked();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await sayBytesLeft(0);
  await expect(page.getByText('Failed to create poll')).toBeVisible();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByLabel('Question')).toHaveValue('Keep or lose?');
  await expectImages(dialog);
});

test('a poll that is stored after Back has closed its dialog does not go back again', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wiebke'));
  const dialog = await fillPoll(page, 'Once or twice?');
  const sayBytesLeft = await submitAndHold(page, dialog);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await sayBytesLeft(1e9);
  await expect(page.getByText('Poll created!')).toBeVisible();
  await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
  await expect(page).toHaveURL(/\/home$/);
});

test('while a poll is being stored, Create Poll waits, and then opens an empty form', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wolf'));
  const dialog = await fillPoll(page, 'Once or twice?');
  const sayBytesLeft = await submitAndHold(page, dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await page.waitForTimeout(DIALOG_OPENED_WITHIN_MS);
  await expect(dialog).toBeHidden();
  await sayBytesLeft(1e9);
  await expect(dialog.getByLabel('Question')).toHaveValue('');
});

test('a poll that is stored after Back and Forward does not close the reopened dialog', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wenke'));
  const dialog = await fillPoll(page, 'Once or twice?');
  const sayBytesLeft = await submitAndHold(page, dialog);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.goForward();
  await sayBytesLeft(1e9);
  await expect(dialog.getByLabel('Question')).toHaveValue('');
  await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
  await expect(dialog).toBeVisible();
});

test('Edit pressed again while the edited poll is being stored does not open the refused poll a second time', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('wendla'));
  monitor.expectStatus(402, /\/api\/questions$/);
  const refused = { message: 'Refused', code: 'insufficient_points', requestId: 'r1' };
  await page.route(
    '**/api/questions',
    (route) => {
      const { 'idempotency-key': key = '' } = route.request().headers();
      return route.fulfill({ status: 402, headers: { 'Idempotency-Key': key }, json: refused });
    },
    { times: 1 },
  );
  const dialog = await fillPoll(page, 'Once or twice?');
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByText('Failed to create poll')).toBeVisible();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Outbox' }).click();
  const edit = page.getByRole('button', { name: 'Edit' });
  await edit.click();
  const sayBytesLeft = await submitAndHold(page, dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await edit.click();
  await sayBytesLeft(1e9);
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/outbox$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/home$/);
});

test('Ask again waits for a poll that is being stored, and then opens the copy', async ({ newUser }) => {
  const { page } = await newUser();
  await register(page, newName('wanja'));
  const closed = await postPoll(page, 'Which wall?');
  const headers = { 'Idempotency-Key': randomUUID() };
  expect((await page.request.post(`/api/questions/${closed.id}/close`, { headers })).ok()).toBe(true);
  await page.goto('/my-polls');
  await expectImages(card(page, 'Which wall?'));
  const dialog = await fillPoll(page, 'Once or twice?');
  const sayBytesLeft = await submitAndHold(page, dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await card(page, 'Which wall?').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Ask again' }).click();
  await page.waitForTimeout(DIALOG_OPENED_WITHIN_MS);
  await expect(dialog).toBeHidden();
  await sayBytesLeft(1e9);
  await expect(dialog.getByLabel('Question')).toHaveValue('Which wall?');
});

for (const order of [
  ['Undo', 'Create Poll'],
  ['Create Poll', 'Undo'],
]) {
  test(`${order.join(' and ')} at the same time open one dialog with the draft, which one Escape closes`, async ({
    newUser,
  }) => {
    const { page } = await newUser();
    await registerAndOpenHome(page, newName('wilma'));
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create Poll' }).click();
    await dialog.getByLabel('Question').fill('Once or twice?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    await page.evaluate((names) => {
      const buttons = [...document.querySelectorAll('button')];
      const clicked = buttons.filter(({ textContent }) => names.includes(textContent?.trim() ?? ''));
      if (clicked.length !== 2) throw new Error(`${clicked.length} buttons in place of ${names}`);
      for (const name of names) clicked.find(({ textContent }) => textContent?.trim() === name)?.click();
    }, order);
    await expect(dialog.getByLabel('Question')).toHaveValue('Once or twice?');
    await page.waitForTimeout(DIALOG_OPENED_WITHIN_MS);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(DIALOG_CLOSED_WITHIN_MS);
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(/\/home$/);
  });
}
