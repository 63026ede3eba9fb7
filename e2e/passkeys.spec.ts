import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import type { ErrorMonitor } from './testing/error-monitor.ts';
import { mailedLink } from './testing/mails.ts';
import { startFromTemplate } from './testing/servers.ts';
import { logInAsOwner, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, newName, PASSWORD } from './testing/user-actions.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './testing/virtual-authenticator.ts';

test.use({ serviceWorkers: 'block' });

const panelOf = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

/** Expects the refusals of calls before the user has confirmed their identity. */
function expectUnconfirmed(monitor: ErrorMonitor): void {
  monitor.expectStatus(403, /\/api\/(passkeys|user\/(second-step|recovery-codes|confirmation))/);
}

async function confirmWithPassword(page: Page, password = PASSWORD): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByLabel('Current password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toHaveCount(0);
}

/** Opens the settings and adds a passkey there. */
async function addPasskey(page: Page): Promise<Locator> {
  await page.goto('/settings');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Add a passkey' }).click();
  await confirmWithPassword(page);
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  return panel;
}

/** The dialog with the recovery codes, and the codes. */
async function recoveryCodes(page: Page): Promise<{ dialog: Locator; codes: string[] }> {
  const dialog = page.getByRole('dialog', { name: 'Ten recovery codes' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  return { dialog, codes: await dialog.getByRole('listitem').allTextContents() };
}

/** Switches the second step on; returns the recovery codes. */
async function switchOnSecondStep(page: Page): Promise<string[]> {
  await panelOf(page).getByRole('switch', { name: 'Second step' }).click();
  const { dialog, codes } = await recoveryCodes(page);
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  return codes;
}

/** Logs out; the authenticator does not respond, so that the field cannot log in with a passkey automatically. */
async function logOutAndWait(page: Page, authenticator: VirtualAuthenticator): Promise<void> {
  await authenticator.withholdConsent();
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
}

/**
 * Fails an attempt by password at `path` with `passwordButton`, and then one with `passkeyButton`. Expects that the dialog shows
 * the error of the second attempt only.
 */
async function expectLatestError(
  page: Page,
  monitor: ErrorMonitor,
  { path, passwordButton, passkeyButton }: { path: string; passwordButton: string; passkeyButton: string },
): Promise<void> {
  const dialog = page.getByRole('dialog');
  monitor.expectStatus(429, /\/api\/user\//);
  monitor.expectStatus(503, /\/api\/user\/confirmation\/options$/);
  await page.route(path, (route) => route.fulfill({ status: 429, body: '' }), { times: 1 });
  const options = '**/api/user/confirmation/options';
  await page.route(options, (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
  await dialog.getByRole('textbox').fill(PASSWORD);
  await dialog.getByRole('button', { name: passwordButton, exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveText(/Too many attempts/);
  await dialog.getByRole('button', { name: passkeyButton }).click();
  await expect(dialog.getByRole('alert')).toHaveText(/not available right now/);
}

test('a passkey can be added, renamed, used to log in, and removed', async ({ newUser, server }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, newName('nina'));
  const panel = await addPasskey(page);
  await expect(panel.getByText(/^Added .* not used yet$/)).toBeVisible();
  expect(await authenticator.count()).toBe(1);

  // The session is still confirmed.
  await panel.getByRole('button', { name: /^Rename / }).click();
  const nameDialog = page.getByRole('dialog', { name: 'Name this passkey' });
  await nameDialog.getByLabel('Name').fill('Nina’s phone');
  await nameDialog.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByText('Nina’s phone')).toBeVisible();

  // Consents only to requests by the button: otherwise the username field could log in, too.
  await authenticator.showDialogs();
  page.on('dialog', (dialog) => authenticator.giveConsent().then(() => dialog.accept()));
  const logInWithPasskey = async () => {
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page).not.toHaveURL(/\/auth/);
    await authenticator.withholdConsent();
  };
  await logOutAndWait(page, authenticator);
  await logInWithPasskey();
  // The session remains, and the browser becomes that of another device. The app must not be open then: it would use the session.
  await page.goto('/api/health');
  const client = await page.context().newCDPSession(page);
  await client.send('Storage.clearDataForOrigin', { origin: server.address, storageTypes: 'all' });
  await page.goto('/auth');
  await logInWithPasskey();
  await page.goto('/settings');
  await expect(panel.getByText(/· used today$/)).toBeVisible();
  const sessions = page.getByRole('region', { name: 'Where you are logged in' }).getByRole('listitem');
  await expect(sessions).toHaveCount(2);

  await panel.getByRole('button', { name: 'Remove Nina’s phone' }).click();
  const removal = page.getByRole('dialog');
  await expect(removal.getByText('other devices that logged in with it will be logged out')).toBeVisible();
  await removal.getByRole('button', { name: 'Remove' }).click();
  await expect(panel.getByText('Nina’s phone')).toHaveCount(0);
  await expect(sessions).toHaveCount(1);
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the username field offers passkeys, too', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, newName('nora'));
  await addPasskey(page);
  await logOutAndWait(page, authenticator);
  await expect(page.getByLabel('Username or email')).toHaveAttribute('autocomplete', 'username webauthn');
  await authenticator.giveConsent();
  await page.reload();
  await expect(page).not.toHaveURL(/\/auth/);
});

test('the username field offers passkeys again after a cancelled login by button', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, newName('noah'));
  await addPasskey(page);
  await authenticator.showDialogs();
  // Cancels the request of the button, and consents to the offer of the field that follows.
  page.once('dialog', async (dialog) => {
    await authenticator.giveConsent();
    await dialog.dismiss();
  });
  const offered = page.waitForResponse('**/api/login/passkey/options');
  await logOutAndWait(page, authenticator);
  await offered;
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page).not.toHaveURL(/\/auth/);
});

test('no passkey is added after a wrong password and a cancelled dialog', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, newName('nils'));
  await page.goto('/settings');
  await panelOf(page).getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('Enter your current password')).toBeVisible();
  await dialog.getByLabel('Current password', { exact: true }).fill('not my password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('This is not your current password')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(panelOf(page).getByRole('listitem')).toHaveCount(0);
  await expect(panelOf(page).getByRole('alert')).toHaveCount(0);
  await expect(panelOf(page).getByRole('button', { name: 'Add a passkey' })).toBeEnabled();
});

test('with the second step, a login needs the password and then a passkey or a recovery code', async ({
  newUser,
}) => {
  const name = newName('otto');
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  monitor.expectStatus(401, /\/api\/login$/);
  monitor.expectStatus(403, /\/api\/login\/second-step$/);
  const authenticator = await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, name);
  await addPasskey(page);
  const codes = await switchOnSecondStep(page);
  await expect(panelOf(page).getByText(/^10 of 10 left/)).toBeVisible();

  await logOutAndWait(page, authenticator);
  await logIn(page, name);
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused();
  await authenticator.giveConsent();
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await expect(page).not.toHaveURL(/\/auth/);

  await logOutAndWait(page, authenticator);
  await logIn(page, name);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill('0000-0000');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByText('That is not one of your unused recovery codes.')).toBeVisible();
  await page.getByLabel('Recovery code').fill((codes[4] ?? '').toLowerCase());
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).not.toHaveURL(/\/auth/);
  await page.goto('/settings');
  await expect(panelOf(page).getByText(/^9 of 10 left/)).toBeVisible();
});

test('the link in the mail about the second step undoes it, and leads to a new password', async ({
  newUser,
  server,
}) => {
  const name = newName('rita');
  const email = `${name}@example.org`;
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  monitor.expectStatus(401, /\/api\//);
  // The authenticator offers the removed passkey.
  monitor.expectStatus(403, /\/api\/login\/passkey$/);
  await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, name);
  await page.goto(await mailedLink(server, 'verify', email));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  await addPasskey(page);
  await switchOnSecondStep(page);

  const { page: otherDevice } = await newUser();
  await otherDevice.goto(await mailedLink(server, 'second-step-on', email));
  await expect(otherDevice.getByRole('heading', { name: 'Not you?' })).toBeVisible();
  await otherDevice.getByRole('button', { name: 'This was not me' }).click();
  await expect(otherDevice.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible();
  await otherDevice.getByRole('button', { name: 'Choose a new password' }).click();
  await otherDevice.getByRole('dialog').getByLabel('Email').fill(email);
  await otherDevice.getByRole('button', { name: 'Send Reset Link' }).click();
  await otherDevice.goto(await mailedLink(server, 'reset', email));
  await otherDevice.getByLabel('New Password', { exact: true }).fill('tall lamp, cold river');
  await otherDevice.getByLabel('Confirm Password', { exact: true }).fill('tall lamp, cold river');
  await otherDevice.getByRole('button', { name: 'Reset Password' }).click();
  await expect(otherDevice.getByRole('heading', { name: 'Password changed' })).toBeVisible();
  await otherDevice.goto('/auth');
  await logIn(otherDevice, name, 'tall lamp, cold river');
  await expect(otherDevice).not.toHaveURL(/\/auth/);
});

test('recovery codes can be renewed, and removing the last passkey switches the second step off', async ({
  newUser,
}) => {
  const name = newName('paula');
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, name);
  const panel = await addPasskey(page);
  const before = await switchOnSecondStep(page);

  await panel.getByRole('button', { name: 'New codes' }).click();
  const { dialog, codes } = await recoveryCodes(page);
  expect(codes.filter((code) => before.includes(code))).toEqual([]);
  // At a repeated Escape, a browser closes a dialog even if the page prevents it: the app has to open it again.
  for (let count = 0; count < 3; count++) await page.keyboard.press('Escape');
  await expect(dialog.getByRole('button', { name: 'I have saved them' })).toBeFocused();
  const downloading = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save file' }).click();
  const file = await readFile(await (await downloading).path(), 'utf8');
  for (const code of [name, ...codes]) expect(file).toContain(code);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await expect(dialog.getByText('Codes copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join('\n'));
  await dialog.getByRole('button', { name: 'I have saved them' }).click();

  await panel.getByRole('button', { name: /^Remove / }).click();
  const removal = page.getByRole('dialog');
  await expect(removal.getByText(/^It is your last one: the second step will be turned off/)).toBeVisible();
  await removal.getByRole('button', { name: 'Remove' }).click();
  await expect(panel.getByRole('listitem')).toHaveCount(0);
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the second step can be switched on and off after a confirmation by passkey', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  const name = newName('quentin');
  await registerAndOpenHome(page, name);
  await addPasskey(page);
  // A login with only the password, which does not confirm by passkey.
  await logOutAndWait(page, authenticator);
  await logIn(page, name);
  await expect(page).not.toHaveURL(/\/auth/);
  await authenticator.giveConsent();
  await page.goto('/settings');
  const panel = panelOf(page);
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await expectLatestError(page, monitor, {
    path: '**/api/user/confirmation',
    passwordButton: 'Confirm',
    passkeyButton: 'Use a passkey',
  });
  await page
    .getByRole('dialog', { name: 'Confirm it is you' })
    .getByRole('button', { name: 'Use a passkey' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'I have saved them' }).click();
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await expect(panel.getByRole('switch', { name: 'Second step' })).not.toBeChecked();
  await expect(panel.getByText('Recovery codes')).toHaveCount(0);
});

test('an account is deleted with a passkey', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectUnconfirmed(monitor);
  await addVirtualAuthenticator(page);
  await registerAndOpenHome(page, newName('rosa'));
  await addPasskey(page);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await expectLatestError(page, monitor, {
    path: '**/api/user/deletion',
    passwordButton: 'Delete my account',
    passkeyButton: 'Delete it with a passkey',
  });
  await dialog.getByRole('button', { name: 'Delete it with a passkey' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('region', { name: /^Your account will be deleted on / })).toBeVisible();
});

test('offline, the passkey panel and the login say that there is no connection', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await registerAndOpenHome(page, newName('sina'));
  await page.goto('/settings');
  await expect(panelOf(page).getByRole('button', { name: 'Add a passkey' })).toBeVisible();
  await page.context().setOffline(true);
  await expect(panelOf(page).getByText('You are offline. Connect to manage your passkeys.')).toBeVisible();

  const { page: visitor, monitor: visitorMonitor } = await newUser();
  visitorMonitor.expectNetworkErrors();
  await visitor.goto('/auth');
  // The chunk that the button needs has to be loaded before the visitor goes offline.
  await expect(visitor.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await visitor.waitForLoadState('networkidle');
  await visitor.context().setOffline(true);
  await expect(visitor.getByText('You are offline. Connect to log in.')).toBeVisible();
  await visitor.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(visitor.getByText('The server cannot be reached.')).toBeVisible();
});

test('in a browser without passkeys, the login does not offer them', async ({ newUser }) => {
  const { page } = await newUser();
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  await page.goto('/auth');
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeHidden();
  await registerAndOpenHome(page, newName('tom'));
  await page.goto('/settings');
  await expect(panelOf(page).getByText('This browser cannot use passkeys.')).toBeVisible();
});

test('with ADMIN_PASSKEY=required, the admin screens need a passkey', async ({ newUser }) => {
  test.slow();
  const server = await startFromTemplate({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, monitor } = await newUser({ baseURL: server.address });
    expectUnconfirmed(monitor);
    monitor.expectStatus(403, /\/api\/admin\//);
    monitor.expectStatus(401, /\/api\/login$/);
    const authenticator = await addVirtualAuthenticator(page);
    await logInAsOwner(page, server);
    monitor.expectStatus(503, /\/api\/passkeys$/);
    await page.route('**/api/passkeys', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await page.goto('/admin');
    await expect(page.getByRole('heading', { name: 'Your passkeys could not be loaded' })).toBeVisible();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('heading', { name: 'Add a passkey first' })).toBeVisible();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await confirmWithPassword(page, server.ownerPassword);
    await page
      .getByRole('dialog', { name: 'Ten recovery codes' })
      .getByRole('button', { name: 'I have saved them' })
      .click();
    await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();

    await page.goto('/settings');
    await expect(panelOf(page).getByRole('switch', { name: 'Second step' })).toBeDisabled();
    await logOutAndWait(page, authenticator);
    await logIn(page, 'owner', server.ownerPassword);
    await authenticator.giveConsent();
    await page.getByRole('button', { name: 'Continue with a passkey' }).click();
    await expect(page).not.toHaveURL(/\/auth/);
    await page.goto('/admin');
    await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();
    // Failed requests after the server has stopped would be reported as errors of the page.
    await page.close();
  } finally {
    await server.remove();
  }
});
