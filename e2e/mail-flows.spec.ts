import { expect, type Page } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import { stopClock } from './testing/screens.ts';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, newName, PASSWORD, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const NEW_PASSWORD = 'battery staple horse';
const SENT = 'If your email is registered with us, you will receive instructions to reset your password.';

async function requestResetLink(page: Page, email: string): Promise<void> {
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forgot password?' });
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('button', { name: 'Send Reset Link' }).click();
  await expect(dialog.getByText(SENT)).toBeVisible();
}

/** Fills in the form for a new password and submits it. */
async function submitPasswords(page: Page, password: string, repeated: string): Promise<void> {
  await page.getByLabel('New Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password', { exact: true }).fill(repeated);
  await page.getByRole('button', { name: 'Reset Password' }).click();
}

test('the link in the verification mail verifies the email and leads to the start page', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page: referrer } = await newUser();
  await register(referrer, newName('ada'));
  await referrer.goto('/referrals');
  const code = await referrer.getByRole('definition').first().innerText();

  const name = newName('ben');
  const email = `${name}@example.org`;
  const { page } = await newUser();
  await page.goto(`/auth?ref=${code}&next=/profile`);
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByText(`Open the link we sent to ${email}.`)).toBeVisible();

  const link = await mailedLink(server, 'verify', email);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/verify-email*', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Verifying your email…' })).toBeVisible();
  await stopClock(page);
  release();
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  // The redirect takes place after three seconds.
  await page.clock.runFor(2_000);
  await expect(page).toHaveURL(link);
  await page.clock.runFor(1_500);
  await expect(page).toHaveURL('/');
  await page.clock.resume();
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByText('Your email is not verified')).toHaveCount(0);

  await referrer.reload();
  // Ten for the sign-up, five for the friend's sign-up, and five for the friend's verified email.
  await expect(points(referrer)).toHaveText('20');

  const { page: otherPage } = await newUser();
  await otherPage.goto(link);
  await expect(otherPage.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  await otherPage.getByRole('link', { name: 'Continue' }).click();
  await expect(otherPage).toHaveURL(/\/auth/);
});

test('a resent verification mail replaces the first', async ({ newUser, server }) => {
  const name = newName('cleo');
  const email = `${name}@example.org`;
  const { page, monitor } = await newUser();
  await register(page, name);
  const first = await mailedLink(server, 'verify', email);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Resend email' }).click();
  await expect(page.getByText('A new link is on its way')).toBeVisible();
  const second = await mailedLink(server, 'verify', email, 2);

  monitor.expectStatus(400, /\/api\/verify-email/);
  await page.goto(first);
  await expect(page.getByRole('alert')).toContainText('Email not verified');
  await page.goto(second);
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
});

test('a verification link that fails shows the reason and a way back to the login', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await page.goto('/auth');
  await page.goto('/verify-email');
  await expect(page.getByRole('alert')).toContainText('No verification token provided.');

  monitor.expectStatus(400, /\/api\/verify-email/);
  const received = page.waitForResponse(/\/api\/verify-email/);
  await page.goto('/verify-email?token=made-up');
  const { message } = await (await received).json();
  await expect(page.getByRole('alert')).toContainText(message);

  monitor.expectNetworkErrors();
  await page.route('**/api/verify-email*', (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('alert')).toContainText(
    'An unexpected error occurred. Please try again later.',
  );
  await page.getByRole('link', { name: 'Back to Login' }).click();
  await expect(page).toHaveURL('/auth');
  // The link replaced the history entry with the token: Back leads to the first visit, which had none.
  await page.goBack();
  await expect(page).toHaveURL('/verify-email');
});

test('the link in the reset mail sets a new password once and ends the session of another device', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const name = newName('dora');
  const email = `${name}@example.org`;
  const { page: phone, monitor: phoneMonitor } = await newUser();
  await registerAndOpenHome(phone, name);

  const { page, monitor } = await newUser();
  await requestResetLink(page, email);
  const link = await mailedLink(server, 'reset', email);
  await page.goto(link);
  await submitPasswords(page, 'short', 'short');
  await expect(page.getByText('Password must be at least 8 characters')).toHaveCount(2);
  const confirmation = page.getByLabel('Confirm Password', { exact: true });
  for (const [repeated, message] of [
    ['', 'Enter the new password again'],
    ['short', 'Passwords do not match'],
    [`${NEW_PASSWORD}!`, 'Passwords do not match'],
  ] as const) {
    await submitPasswords(page, NEW_PASSWORD, repeated);
    await expect(confirmation).toHaveAccessibleDescription(message);
    await expect(confirmation).toBeFocused();
    await expect(page.getByText('Password must be at least 8 characters')).toHaveCount(0);
  }

  await stopClock(page);
  await page.getByLabel('Confirm Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expect(page.getByRole('heading', { name: 'Password changed' })).toBeVisible();
  // The redirect takes place after three seconds.
  await page.clock.runFor(2_000);
  await expect(page).toHaveURL(link);
  await page.clock.runFor(1_500);
  await expect(page).toHaveURL('/auth');
  await page.clock.resume();

  monitor.expectStatus(401, /\/api\/login$/);
  await logIn(page, name);
  await expect(page.getByText('Login failed')).toBeVisible();
  await logIn(page, name, NEW_PASSWORD);
  await expect(page).toHaveURL('/');

  phoneMonitor.expectStatus(401, /\/api\//);
  await phone.reload();
  await expect(phone).toHaveURL(/\/auth/);

  const { page: secondVisit, monitor: secondMonitor } = await newUser();
  secondMonitor.expectStatus(400, /\/api\/reset-password$/);
  await secondVisit.goto(link);
  await submitPasswords(secondVisit, NEW_PASSWORD, NEW_PASSWORD);
  await expect(secondVisit.getByRole('alert')).toBeFocused();
  await secondVisit.getByRole('button', { name: 'Request a new link' }).click();
  await expect(secondVisit.getByRole('dialog', { name: 'Forgot password?' })).toBeVisible();
});

test('a reset link without a token shows that it is invalid', async ({ newUser }) => {
  const { page } = await newUser();
  await page.goto('/reset-password');
  await expect(page.getByRole('alert')).toContainText(
    'The password reset link is invalid or has expired. Please request a new password reset link.',
  );
  await page.getByRole('link', { name: 'Back to Login' }).click();
  await expect(page).toHaveURL('/auth');
});

test('the forgot-password dialog validates the email, shows errors, and can be used by keyboard', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await page.goto('/auth');
  await page.getByLabel('Username or email').fill('erna@example.org');
  for (const next of ['Password', 'Show password', 'Forgot password?']) {
    await page.keyboard.press('Tab');
    await expect(page.locator(':focus')).toHaveAccessibleName(next);
  }
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Forgot password?' });
  await expect(dialog.getByLabel('Email')).toHaveValue('erna@example.org');
  await expect(dialog.getByLabel('Email')).toBeFocused();
  await page.keyboard.type('@');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Please enter a valid email address')).toBeVisible();

  monitor.expectNetworkErrors();
  await page.route('**/api/forgot-password', (route) => route.abort());
  await dialog.getByLabel('Email').fill('erna@example.org');
  await page.keyboard.press('Enter');
  const alert = dialog.getByRole('alert');
  await expect(alert).toContainText('Failed to send password reset email. Please try again later.');
  await expect(alert).toContainText('An unexpected error occurred');
  await expect(alert).toBeFocused();

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Forgot password?' })).toBeFocused();
});
