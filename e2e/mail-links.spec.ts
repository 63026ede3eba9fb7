import { expect } from '@playwright/test';
import { test } from './testing/test.ts';

test('a link that is being verified says so; where another server answers, the words are our own', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  watch.expectStatus(502, /\/api\/verify-email/);
  await page.route('**/api/verify-email*', async (route) => {
    await asked;
    await route.fulfill({ status: 502, body: 'Bad Gateway' });
  });
  await page.goto('/verify-email?token=any');
  await expect(page.getByRole('heading', { name: 'Verifying your email…' })).toBeVisible();
  answer();
  await expect(page.getByRole('alert')).toContainText('Failed to verify email. Please try again.');
  await expect(page.getByRole('link', { name: 'Back to Login' })).toHaveAttribute('href', '/auth');
});

test('a new password is being saved, fails in words, and Cancel leads to the login', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  watch.expectStatus(502, /\/api\/reset-password/);
  watch.expectLosses();
  await page.route('**/api/reset-password', async (route) => {
    await asked;
    await route.fulfill({ status: 502, body: 'Bad Gateway' });
  });
  await page.goto('/reset-password?token=any');
  for (const label of ['New Password', 'Confirm Password']) {
    await page.getByLabel(label, { exact: true }).fill('battery staple horse');
  }
  const submit = page.getByRole('button', { name: 'Reset Password' });
  await submit.click();
  await expect(page.getByRole('button', { name: 'Saving…' })).toBeDisabled();
  answer();
  await expect(page.getByRole('alert')).toContainText('Failed to reset password. Please try again.');

  await page.unroute('**/api/reset-password');
  await page.route('**/api/reset-password', (route) => route.abort());
  await submit.click();
  await expect(page.getByRole('alert')).toContainText(
    'An unexpected error occurred. Please try again later.',
  );
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/auth');
});
