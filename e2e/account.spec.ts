import { expect, type Locator, type Page } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import { DESKTOP, waitTwoFrames } from './testing/screens.ts';
import { register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { createPoll, logIn, newName, PASSWORD } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save Changes' }).click();
}

/** The field in the account form; the form for a new password has a field with the same label. */
function currentPassword(page: Page): Locator {
  const account = page.getByRole('region', { name: 'Account Information' });
  return account.getByLabel('Current password', { exact: true });
}

async function fillCurrentPassword(page: Page): Promise<void> {
  await currentPassword(page).fill(PASSWORD);
}

test('a new username and email are saved, and the new email is verified by its link', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const name = newName('fay');
  const renamed = newName('faye');
  const email = `${renamed}@example.com`;
  const { page } = await newUser();
  await register(page, name);
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Edit Profile' }).click();
  await expect(page).toHaveURL('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(name);
  await expect(page.getByText('min. 3 characters')).toHaveCount(0);

  await page.getByLabel('Username').fill(renamed);
  await page.getByLabel('Email').first().fill(email);
  await expect(page.getByText('You will have to verify your new email.')).toBeVisible();
  await expect(page.getByText(`${renamed} is available`)).toBeVisible();
  await save(page);
  await expect(page.getByText('Enter your current password')).toBeVisible();
  await fillCurrentPassword(page);
  await save(page);
  await expect(page.getByText('Changes saved')).toBeVisible();
  await expect(page.getByText(`Open the link we sent to ${email}.`)).toBeVisible();
  await page.goto(await mailedLink(server, 'verify', email));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();

  await page.goto('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(renamed);
  await expect(page.getByLabel('Email').first()).toHaveValue(email);
  await expect(page.getByText('Your email is not verified')).toHaveCount(0);
});

test('a change of email needs the current password, and can be withdrawn until it is verified', async ({
  newUser,
}) => {
  const name = newName('fia');
  const { page, monitor } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  const email = page.getByLabel('Email').first();
  await email.fill(`${name}@example.com`);
  await currentPassword(page).fill('not this one');
  monitor.expectStatus(403, /\/api\/user$/);
  await save(page);
  await expect(page.getByText('This is not your current password')).toBeVisible();
  await expect(currentPassword(page)).toBeFocused();
  await fillCurrentPassword(page);
  await save(page);
  await expect(page.getByText(`Until then, your email stays ${name}@example.org.`)).toBeVisible();
  await page.reload();
  await expect(email).toHaveValue(`${name}@example.com`);
  await page.getByRole('button', { name: 'Keep the old email' }).click();
  await expect(page.getByText('Your email is not verified')).toBeVisible();
  await expect(email).toHaveValue(`${name}@example.org`);
  await expect(page.getByRole('button', { name: 'Resend email' })).toBeEnabled();
});

test('the link mailed to the old email undoes the change and logs out every device', async ({
  newUser,
  server,
}) => {
  const name = newName('flo');
  const { page, monitor } = await newUser();
  await register(page, name);
  await page.goto(await mailedLink(server, 'verify', `${name}@example.org`));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  await page.goto('/settings');
  await page.getByLabel('Email').first().fill(`${name}@example.com`);
  await fillCurrentPassword(page);
  await save(page);
  await page.goto(await mailedLink(server, 'verify', `${name}@example.com`));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();

  const { page: otherDevice } = await newUser();
  await otherDevice.goto(await mailedLink(server, 'email-changed', `${name}@example.org`));
  monitor.expectStatus(401, /\/api\//);
  await otherDevice.getByRole('button', { name: 'Undo the change' }).click();
  const main = otherDevice.locator('#main:focus');
  await expect(main.getByRole('heading', { name: 'Your email has been restored' })).toBeVisible();
  await otherDevice.getByRole('button', { name: 'Choose a new password' }).click();
  await expect(otherDevice.getByRole('dialog', { name: 'Forgot password?' })).toBeVisible();
  await page.goto('/settings');
  await expect(page).toHaveURL(/\/auth/);
  await logIn(page, `${name}@example.org`);
  await expect(page).toHaveURL('/settings');
  await expect(page.getByLabel('Email').first()).toHaveValue(`${name}@example.org`);
});

test('a new password shows its strength, replaces the old one and logs out other devices', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('gus');
  const { page, monitor } = await newUser();
  await register(page, name);
  const { page: phone, monitor: phoneMonitor } = await newUser();
  await phone.goto('/auth?next=/settings');
  await logIn(phone, name);
  await expect(phone).toHaveURL('/settings');

  await page.goto('/settings');
  const panel = page.getByRole('region', { name: 'Password' });
  const newPassword = panel.getByLabel('New password', { exact: true });
  await panel.getByLabel('Current password', { exact: true }).fill(PASSWORD);
  for (const [typed, rating] of [
    ['tall', 'Too short at least 8 characters'],
    [`${name}!!!`, 'Too easy it has your name in it'],
    ['tall lamp', 'Good one more word makes it strong'],
    ['tall lamp, cold river', 'Strong very hard to guess'],
  ] as const) {
    await newPassword.fill(typed);
    await expect(panel).toContainText(rating);
  }
  monitor.expectStatus(422, /\/api\/user\/password$/);
  await newPassword.fill(`${name}!!!`);
  await panel.getByRole('button', { name: 'Change password' }).click();
  await expect(panel).toContainText('Too easy: it has your name in it.');
  await newPassword.fill('tall lamp, cold river');
  phoneMonitor.expectStatus(401, /\/api\//);
  await panel.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();
  await expect(newPassword).toHaveValue('');
  await expect(panel.getByRole('button', { name: 'Change password' })).toBeFocused();
  await expect(phone).toHaveURL(/\/auth/);
  phoneMonitor.expectStatus(401, /\/api\/login$/);
  await logIn(phone, name);
  await expect(phone.getByText('Login failed')).toBeVisible();
  await logIn(phone, name, 'tall lamp, cold river');
  await expect(phone).toHaveURL('/settings');
});

test('saving the email does not revert a username changed on another device', async ({ newUser }) => {
  const name = newName('finn');
  const renamed = newName('finnian');
  const email = `${renamed}@example.com`;
  const { page } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  await expect(page.getByText('Your email is not verified')).toBeVisible();
  expect((await page.request.patch('/api/user', { data: { username: renamed } })).status()).toBe(200);
  // The app reads the user again when its page becomes visible.
  const refreshed = page.waitForResponse(/\/api\/user$/);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await refreshed;
  await expect(page.getByRole('banner').getByText(renamed)).toBeAttached();
  await page.getByLabel('Email').first().fill(email);
  await fillCurrentPassword(page);
  const updateRequest = page.waitForRequest((request) => request.method() === 'PATCH');
  await save(page);
  expect((await updateRequest).postDataJSON()).toEqual({ email, currentPassword: PASSWORD });
  await expect(page.getByText('Changes saved')).toBeVisible();
});

test('each invalid field shows its error, and a taken username is never sent', async ({ newUser }) => {
  const taken = newName('gil');
  const { page: otherPage } = await newUser();
  await register(otherPage, taken);
  const name = newName('hal');
  const { page, monitor } = await newUser();
  await register(page, name);
  await page.goto('/settings');
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') calls.push(request.url());
  });

  await page.getByLabel('Username').fill('ab');
  await page.getByLabel('Email').first().fill('nobody');
  await fillCurrentPassword(page);
  await save(page);
  await expect(page.getByText('Username must be at least 3 characters')).toBeVisible();
  await expect(page.getByText('Please enter a valid email')).toBeVisible();
  await expect(page.getByLabel('Username')).toBeFocused();

  await page.getByLabel('Email').first().fill(`${name}@example.org`);
  await page.getByLabel('Username').fill(taken);
  await expect(page.getByText('Username is already taken')).toBeVisible();
  await save(page);
  await expect(page.getByLabel('Username')).toBeFocused();
  expect(calls).toEqual([]);

  monitor.expectStatus(409, /\/api\/user$/);
  await page.getByLabel('Username').fill(name.toUpperCase());
  await page.getByLabel('Email').first().fill(`${taken}@example.org`);
  await fillCurrentPassword(page);
  await save(page);
  await expect(page.getByRole('alert')).toContainText('That username or email is already taken.');
  await expect(page.getByRole('alert')).toBeFocused();
  await expect(page.getByLabel('Email').first()).toHaveValue(`${taken}@example.org`);
});

test('offline, the settings say that saving needs a connection, and keep the input', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  const name = newName('ilse');
  await register(page, name);
  await page.goto('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(name);
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(page.getByText('You are offline. Connect to save changes.')).toBeVisible();
  for (const [note, label] of [
    ['change your password.', 'Change password'],
    ['manage your passkeys.', 'Add a passkey'],
    ['download your data.', 'Get it ready'],
  ] as const) {
    await expect(page.getByText(`You are offline. Connect to ${note}`)).toBeVisible();
    await expect(page.getByRole('button', { name: label })).toHaveCount(0);
  }
  for (const label of ['Save Changes', 'Resend email', 'Delete my account']) {
    await expect(page.getByRole('button', { name: label })).toHaveCount(0);
  }
  await page.getByLabel('Username').fill(`${name}x`);
  await page.getByLabel('Username').press('Enter');
  const account = page.getByRole('region', { name: 'Account Information' });
  await expect(account.getByRole('status')).toHaveCount(1);
  await expect(account.getByRole('alert')).toHaveCount(0);
  await expect(page.getByLabel('Username')).toHaveValue(`${name}x`);

  await page.context().setOffline(false);
  await save(page);
  await expect(page.getByText('Changes saved')).toBeVisible();
});

test('without edits, Save Changes is disabled', async ({ newUser }) => {
  const { page } = await newUser();
  const name = newName('inga');
  await register(page, name);
  await page.goto('/settings');
  const saveButton = page.getByRole('button', { name: 'Save Changes' });
  await expect(saveButton).toBeDisabled();
  await page.getByLabel('Username').fill(`${name}x`);
  await expect(saveButton).toBeEnabled();
  await page.getByLabel('Username').fill(name);
  await expect(saveButton).toBeDisabled();
  await page.getByLabel('Username').press('Enter');
  await saveButton.press('Enter');
  // A toast would be shown by then.
  await waitTwoFrames(page);
  await expect(page.getByText('Changes saved')).toHaveCount(0);
});

test('saving and withdrawing changes keeps the focus in the account form', async ({ newUser }) => {
  const { page } = await newUser();
  const name = newName('ines');
  await register(page, name);
  await page.goto('/settings');
  const account = page.getByRole('region', { name: 'Account Information' });
  const button = (label: string) => account.getByRole('button', { name: label });
  await page.getByLabel('Username').fill(`${name}x`);
  await button('Save Changes').press('Enter');
  await expect(page.getByText('Changes saved')).toBeVisible();
  await expect(button('Save Changes')).toBeFocused();
  await button('Resend email').press('Enter');
  await expect(account).toContainText('A new link is on its way');
  await expect(button('Resend email')).toBeFocused();

  await page.getByLabel('Email').first().fill(`${name}@example.com`);
  await fillCurrentPassword(page);
  await currentPassword(page).press('Enter');
  await expect(currentPassword(page)).toHaveCount(0);
  await expect(account.locator(':focus')).toHaveCount(1);
  await button('Keep the old email').press('Enter');
  await expect(button('Keep the old email')).toHaveCount(0);
  await expect(account.locator(':focus')).toHaveCount(1);
});

test('the settings have nine sections, the theme is stored on the device, and Logout logs out', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser();
  await register(page, newName('jon'));
  await page.goto('/settings');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'Account Information',
    'Password',
    'Passkeys',
    'Where you are logged in',
    'Appearance',
    'Notifications',
    'Blocked people',
    'Your data',
    'Danger Zone',
  ]);
  await page.getByRole('main').getByRole('radio', { name: 'Light' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByText('You have been successfully logged out.')).toBeVisible();
  expect((await page.request.get('/api/user')).status()).toBe(401);
});

test('Logout in the settings asks for confirmation while changes are waiting', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await registerAndOpenHome(page, newName('kai'));
  await waitForServiceWorker(page);
  await page.reload();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await createPoll(page, {
    question: 'Sent or kept?',
    captions: ['Sent', 'Kept'],
    message: 'Saved on this device',
  });
  await page.goto('/settings');
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByRole('dialog')).toContainText('Log out with 1 change waiting?');

  await page.goto('/diagnostic');
  await expect(page.getByRole('main')).toContainText('Waiting to be sent1');
});

test('administrators have Admin Tools, and Admin in place of Refer', async ({ newUser, server }) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await page.goto('/auth?next=/settings');
  await logIn(page, 'owner', server.ownerPassword);
  await expect(page.getByRole('heading', { name: 'Admin Tools' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Admin dashboard' })).toHaveAttribute('href', '/admin');
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('link', { name: 'Admin' })).toHaveAttribute('href', '/admin');
  await expect(banner.getByRole('link', { name: 'Refer' })).toHaveCount(0);
});

test('the diagnostic report can be copied and does not contain the username', async ({ newUser }) => {
  const name = newName('lou');
  const { page } = await newUser({ serviceWorkers: 'allow' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await register(page, name);
  await page.goto('/diagnostic');
  await expect(page.getByRole('main')).toContainText('Persisted');
  await page.getByRole('button', { name: 'Copy report' }).click();
  await expect(page.getByText('Report copied')).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toMatch(/Build\n {2}App: \d/);
  expect(report).toContain('Waiting to be sent: 0');
  expect(report).not.toContain(name);
});

test('the address that password managers open leads past the service worker to the settings', async ({
  newUser,
}) => {
  const { page } = await newUser({ serviceWorkers: 'allow' });
  await registerAndOpenHome(page, newName('pia'));
  await waitForServiceWorker(page);
  await page.goto('/.well-known/change-password');
  await expect(page).toHaveURL('/settings');
});
