import { expect } from '@playwright/test';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, logOut, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('the weekly-mail switch is the same on every device, and needs a connection', { tag: '@core' }, async ({
  newUser,
}) => {
  const name = newName('jon');
  const { page, monitor } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  const emailSwitch = page.getByRole('switch', { name: 'Email' });
  await expect(emailSwitch).toBeChecked();
  await expect(page.getByText('Once a week, once you have verified your email')).toBeVisible();
  await emailSwitch.focus();
  await page.keyboard.press('Space');
  await expect(emailSwitch).not.toBeChecked();
  await expect(emailSwitch).toBeEnabled();
  await expect(emailSwitch).toBeFocused();
  await page.reload();
  await expect(emailSwitch).not.toBeChecked();

  const { page: otherPage } = await newUser();
  await otherPage.goto('/auth?next=/settings');
  await logIn(otherPage, name);
  const otherEmailSwitch = otherPage.getByRole('switch', { name: 'Email' });
  await expect(otherEmailSwitch).not.toBeChecked();
  await otherEmailSwitch.click();
  await expect(otherEmailSwitch).toBeChecked();
  await expect(otherEmailSwitch).toBeEnabled();
  await page.reload();
  await expect(emailSwitch).toBeChecked();

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(emailSwitch).toBeDisabled();
  await expect(emailSwitch).toBeChecked();
  await page.context().setOffline(false);
  await expect(emailSwitch).toBeEnabled();
});

test('a failed change of the weekly-mail switch is reverted, and shows an error until another attempt or a logout', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await register(page, newName('kay'));
  await page.goto('/settings');
  const emailSwitch = page.getByRole('switch', { name: 'Email' });
  await expect(emailSwitch).toBeEnabled();
  monitor.expectStatus(500, /\/api\/user$/);
  let outcome: 'failed' | 'lost' | 'normal' = 'failed';
  await page.route('**/api/user', async (route) => {
    if (outcome === 'normal' || route.request().method() !== 'PATCH') return route.continue();
    if (outcome === 'failed') return route.fulfill({ status: 500, body: '{}' });
    await route.fetch();
    await route.abort();
  });
  const error = page.getByText('The weekly email was not turned off');
  await emailSwitch.click();
  await expect(error).toBeVisible();
  await expect(emailSwitch).toBeChecked();
  outcome = 'normal';
  await emailSwitch.click();
  await expect(emailSwitch).not.toBeChecked();
  await expect(error).toHaveCount(0);
  await emailSwitch.click();
  await expect(emailSwitch).toBeChecked();
  await test.step('a change whose response is lost is shown, without an error', async () => {
    monitor.expectNetworkErrors();
    outcome = 'lost';
    for (const isOn of [false, true]) {
      await emailSwitch.click();
      await expect(emailSwitch).toBeEnabled();
      // Without waiting: the error would disappear, and a check of the session would correct the switch.
      expect(await page.getByText(/The weekly email was not/).count()).toBe(0);
      expect(await emailSwitch.isChecked()).toBe(isOn);
    }
  });
  outcome = 'failed';
  await emailSwitch.click();
  await expect(error).toBeVisible();
  await logOut(page);
  await expect(page).toHaveURL(/\/auth/);
  await expect(error).toHaveCount(0);
});

test('the weekly mail is switched off once if an older version of the app stored its switch as off', async ({
  newUser,
}) => {
  const { page } = await newUser();
  // Only in the first document: the app deletes the setting once the server has it.
  await page.addInitScript(() => {
    if (sessionStorage.getItem('once') === null) localStorage.setItem('notifications-email', 'false');
    sessionStorage.setItem('once', 'yes');
  });
  await registerAndOpenHome(page, newName('lea'));
  const weeklyMail = async () => (await (await page.request.get('/api/user')).json()).weeklyMail;
  await expect.poll(weeklyMail).toBe(false);
  await page.request.patch('/api/user', { data: { weeklyMail: true } });
  await page.goto('/settings');
  await expect(page.getByRole('switch', { name: 'Email' })).toBeChecked();
  expect(await weeklyMail()).toBe(true);
});

test('the unsubscribe link asks for confirmation and shows success or failure', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(400, /unsubscribe/);
  await page.goto('/unsubscribe?token=x');
  const button = page.getByRole('button', { name: 'Unsubscribe' });
  await button.click();
  await expect(page.getByText('This link is invalid or has expired.')).toBeVisible();
  await expect(button).toBeFocused();
  // The server sends valid links only once a week, so its response is a stub.
  const message = 'You will no longer get the weekly email.';
  const calls: string[] = [];
  await page.route('**/unsubscribe?token=good', async (route) => {
    const method = route.request().method();
    calls.push(method);
    await (method === 'POST' ? route.fulfill({ json: { message } }) : route.continue());
  });
  await page.goto('/unsubscribe?token=good');
  await expect(page.getByRole('heading', { name: 'Unsubscribe from the weekly email?' })).toBeVisible();
  expect(calls).toEqual(['GET']);
  await button.click();
  const main = page.locator('#main:focus');
  await expect(main.getByRole('heading', { name: 'You have been unsubscribed' })).toBeVisible();
  await expect(page.getByText(message)).toBeVisible();
  expect(calls).toEqual(['GET', 'POST']);
});
