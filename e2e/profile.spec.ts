import { expect } from '@playwright/test';
import { postPoll, register, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, createPoll, expectImages, logIn, newName, PASSWORD } from './testing/user-actions.ts';

test('the profile shows the user’s data and the polls created there', { tag: '@core' }, async ({
  newUser,
}) => {
  const question = 'Mine or yours?';
  const name = newName('zoe');
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, name);
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  const main = page.getByRole('main');
  await expect(main).toContainText(`${name}@example.org`);
  await expect(main.getByText('10 points', { exact: true })).toBeVisible();

  await createPoll(page, { question, captions: ['Mine', 'Yours'] });
  await expect(card(page, question)).toContainText('Your poll');
  await expectImages(card(page, question));
  await expect(main.getByText('0 points', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeDisabled();

  await page.getByRole('tab', { name: 'Activity' }).click();
  await expect(page.getByRole('region', { name: 'Today' })).toContainText(`Made a poll${question}`);
  await expect(card(page, question)).toHaveCount(0);

  await page.goto('/my-polls');
  await expect(card(page, question)).toContainText('Your poll');
});

test('My Polls on another device shows only the user’s own polls', async ({ newUser }) => {
  const name = newName('abel');
  const { page: otherPage } = await newUser();
  await register(otherPage, newName('bram'));
  await postPoll(otherPage, 'Not to be seen here?', { captions: ['Yes', 'No'] });
  const { page: firstDevice } = await newUser();
  await register(firstDevice, name);
  await postPoll(firstDevice, 'To be seen here?', { captions: ['Yes', 'No'] });

  const { page } = await newUser({ serviceWorkers: 'block' });
  await page.goto('/auth?next=/my-polls');
  await logIn(page, name);
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(card(page, 'To be seen here?')).toContainText('Your poll');
});

test('a poll created offline on the profile is shown there as waiting', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('cara'));
  await page.goto('/profile');
  await expect(page.getByRole('heading', { name: 'No polls created yet' })).toBeVisible();
  await waitForServiceWorker(page);
  await page.reload();

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await createPoll(page, {
    question: 'Waiting or sent?',
    captions: ['Waiting', 'Sent'],
    message: 'Saved on this device',
  });
  await expect(card(page, 'Waiting or sent?')).toContainText('Waiting to sync');
  await expectImages(card(page, 'Waiting or sent?'));
});

test('the Logout button on the profile logs the user out', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('dirk'));
  await page.goto('/profile');
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByText('You have been successfully logged out.')).toBeVisible();
  await expect(page).toHaveURL(/\/auth/);
});

test('withdrawing a new email on the profile does not lose the focus', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  const name = newName('iris');
  await register(page, name);
  const data = { email: `${name}@example.com`, currentPassword: PASSWORD };
  expect((await page.request.patch('/api/user', { data })).status()).toBe(200);
  await page.goto('/profile');
  const note = page.getByRole('region', { name: 'Email not verified' });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/user', async (route) => {
    if (route.request().method() === 'PATCH') await promise;
    await route.continue();
  });
  const keepButton = note.getByRole('button', { name: 'Keep the old email' });
  await keepButton.press('Enter');
  await expect(keepButton).toHaveAttribute('aria-disabled', 'true');
  await expect(note.getByRole('button')).toHaveText(['Resend email', 'Keep the old email']);
  resolve();
  await expect(note.getByRole('button')).toHaveCount(1);
  await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);
});

test('the account form shows what another device has saved, except in fields edited here', async ({
  newUser,
}) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  const name = newName('inga');
  const newEmail = `${name}@example.com`;
  await register(page, name);
  await page.goto('/settings');
  const email = page.getByLabel('Email').first();
  const saveOnOtherDevice = async (data: Record<string, string>) => {
    expect((await page.request.patch('/api/user', { data })).status()).toBe(200);
    // The app reads the user again when its page becomes visible.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  };
  await expect(email).toHaveValue(`${name}@example.org`);
  await saveOnOtherDevice({ email: newEmail, currentPassword: PASSWORD });
  await expect(email).toHaveValue(newEmail);
  await page.getByLabel('Username').fill('edited');
  await saveOnOtherDevice({ email: `${name}@example.org`, username: newName('ingrid') });
  await expect(email).toHaveValue(`${name}@example.org`);
  await expect(page.getByLabel('Username')).toHaveValue('edited');
  await expect(page.getByText('Your email is not verified')).toBeVisible();
});
