import { expect } from '@playwright/test';
import { holdFirstResponse, reconnect } from './testing/held-response.ts';
import { waitTwoFrames } from './testing/screens.ts';
import { register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, newName, PASSWORD } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('the settings list the user’s sessions, and ending a session logs its device out', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('gwen');
  const { page } = await newUser();
  await register(page, name);
  const { page: phone, monitor } = await newUser();
  await phone.goto('/auth?next=/home');
  await logIn(phone, name);
  await expect(phone).toHaveURL('/home');

  await page.goto('/settings');
  const panel = page.getByRole('region', { name: 'Where you are logged in' });
  await expect(panel.getByRole('listitem')).toHaveCount(2);
  await expect(panel.getByRole('listitem').first()).toContainText('This device');
  await expect(panel.getByRole('listitem').first()).toContainText('Network 127.0 · now');
  await expect(panel.getByRole('listitem').last()).toContainText('Chrome on Linux');
  monitor.expectStatus(401, /\/api\//);
  await panel.getByRole('button', { name: 'End Chrome on Linux' }).click();
  await expect(page.getByText('Session ended')).toBeVisible();
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  await expect(panel.locator(':focus')).toHaveCount(1);
  await expect(phone).toHaveURL(/\/auth/);

  await logIn(phone, name);
  await expect(phone).toHaveURL('/home');
  await page.reload();
  const dialog = page.getByRole('dialog', { name: 'End the other session?' });
  await panel.getByRole('button', { name: 'End the other session' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(panel.getByRole('listitem')).toHaveCount(2);
  await panel.getByRole('button', { name: 'End the other session' }).click();
  await dialog.getByRole('button', { name: 'End the other session' }).click();
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  await expect(panel.locator(':focus')).toHaveCount(1);
  await expect(phone).toHaveURL(/\/auth/);
});

test('a session that was ended while an older list was on its way is not shown again', async ({
  newUser,
}) => {
  const name = newName('gus');
  const { page, monitor } = await newUser();
  await register(page, name);
  const { page: phone } = await newUser();
  await phone.request.post('/api/login', { data: { username: name, password: PASSWORD } });
  await page.goto('/settings');
  const panel = page.getByRole('region', { name: 'Where you are logged in' });
  await expect(panel.getByRole('listitem')).toHaveCount(2);

  const held = await holdFirstResponse(page, '**/api/sessions');
  await reconnect(page, monitor);
  expect(await held.body).toMatchObject([{}, {}]);
  await panel.getByRole('button', { name: /^End / }).first().click();
  await expect(page.getByText('Session ended')).toBeVisible();
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  await held.release();
  await waitTwoFrames(page);
  await expect(panel.getByRole('listitem')).toHaveCount(1);
});
