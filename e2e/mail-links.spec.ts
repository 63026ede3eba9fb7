import { expect } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, PASSWORD } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('the verification screen shows its progress, and the app’s own message for a gateway’s error', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  monitor.expectStatus(502, /\/api\/verify-email/);
  await page.route('**/api/verify-email*', async (route) => {
    await released;
    await route.fulfill({ status: 502, body: 'Bad Gateway' });
  });
  await page.goto('/verify-email?token=any');
  await expect(page.getByRole('heading', { name: 'Verifying your email…' })).toBeVisible();
  release();
  await expect(page.getByRole('alert')).toContainText('Failed to verify email. Please try again.');
  await expect(page.getByRole('link', { name: 'Back to Login' })).toHaveAttribute('href', '/auth');

  await page.unroute('**/api/verify-email*');
  monitor.expectStatus(400, /\/api\/verify-email/);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('alert')).not.toContainText('Failed to verify email. Please try again.');
  // The server has rejected the token, so another attempt would not help.
  await expect(page.getByRole('button', { name: 'Try Again' })).toHaveCount(0);
});

test('the reset form shows that it is saving and why it failed, and Cancel leads to the login', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  monitor.expectStatus(502, /\/api\/reset-password/);
  monitor.expectNetworkErrors();
  await page.route('**/api/reset-password', async (route) => {
    await released;
    await route.fulfill({ status: 502, body: 'Bad Gateway' });
  });
  await page.goto('/reset-password?token=any');
  for (const label of ['New Password', 'Confirm Password']) {
    await page.getByLabel(label, { exact: true }).fill('battery staple horse');
  }
  const submit = page.getByRole('button', { name: 'Reset Password' });
  await submit.click();
  await expect(page.getByRole('button', { name: 'Saving…' })).toBeDisabled();
  await expect(page.getByLabel('New Password', { exact: true })).not.toBeEditable();
  release();
  await expect(page.getByRole('alert')).toContainText('Failed to reset password. Please try again.');
  await expect(page.getByLabel('New Password', { exact: true })).toBeEditable();

  // The gateway's error may have replaced the response to a success, which has used up the token.
  await page.unroute('**/api/reset-password');
  monitor.expectStatus(400, /\/api\/reset-password/);
  await submit.click();
  await expect(page.getByRole('alert')).toHaveText(
    'Your password may already be set. Try to log in with it.',
  );
  await page.route('**/api/reset-password', (route) => route.abort());
  await submit.click();
  await expect(page.getByRole('alert')).toContainText(
    'An unexpected error occurred. Please try again later.',
  );
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/auth');
});

test('the page for a first password says “set” instead of “reset”, and how to get a new link', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(400, /\/api\/reset-password$/);
  await page.goto('/reset-password?token=used&first');
  await expect(page.getByRole('heading', { name: 'Choose a password' })).toBeVisible();
  for (const label of ['New Password', 'Confirm Password']) {
    await page.getByLabel(label, { exact: true }).fill('battery staple horse');
  }
  const submit = page.getByRole('button', { name: 'Set Password' });
  await submit.click();
  await expect(page.getByRole('alert')).toContainText('Restart the server to print a new link.');
  await expect(page.getByRole('button', { name: 'Request a new link' })).toHaveCount(0);

  await page.route('**/api/reset-password', (route) =>
    route.fulfill({ json: { message: 'Your password is set. Please log in with it.' } }),
  );
  await submit.click();
  await expect(page.locator('#main:focus').getByRole('heading', { name: 'Password set' })).toBeVisible();
  await expect(page.getByText(/reset/i)).toHaveCount(0);
});

test('a user who has verified their email on another device needs no other mail', async ({
  newUser,
  server,
}) => {
  const name = newName('clara');
  const { page } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  await expect(page.getByText('Your email is not verified')).toBeVisible();
  const link = new URL(await mailedLink(server, 'verify', `${name}@example.org`), server.address);
  await page.request.get(`/api/verify-email${link.search}`);
  const received = page.waitForResponse(/\/api\/resend-verification$/);
  await page.getByRole('button', { name: 'Resend email' }).click();
  expect(await (await received).json()).toEqual({ message: 'Your email is already verified.' });
  await expect(page.getByText('Your email is not verified')).toHaveCount(0);
});

test('an email whose change was saved although the response was lost is shown as saved', async ({
  newUser,
}) => {
  const name = newName('edna');
  const { page, monitor } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  const email = page.getByLabel('Email').first();
  await email.fill(`${name}@example.com`);
  const currentPassword = page.getByLabel('Current password', { exact: true }).first();
  await currentPassword.fill(PASSWORD);
  monitor.expectNetworkErrors();
  // Not the session check, which has the same URL.
  await page.route('**/api/user', (route) =>
    route.request().method() === 'PATCH' ? route.fetch().then(() => route.abort()) : route.continue(),
  );
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await failed;
  await expect(page.getByText(`Until then, your email stays ${name}@example.org.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save Changes' })).toBeDisabled();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(
    page.getByText(`A new password also withdraws the change of your email to ${name}@example.com.`),
  ).toBeVisible();
  await email.fill(`${name}@example.net`);
  await expect(currentPassword).toHaveValue('');
});

test('a logged-in user can request a new reset link in place, and no token remains in the history', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(400, /\/api\/reset-password$/);
  await registerAndOpenHome(page, newName('dina'));
  await page.goto('/reset-password?token=made-up');
  for (const label of ['New Password', 'Confirm Password']) {
    await page.getByLabel(label, { exact: true }).fill('battery staple horse');
  }
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await page.getByRole('button', { name: 'Request a new link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forgot password?' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page).toHaveURL('/home');
});
