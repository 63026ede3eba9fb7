import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import { logIn, newName, PASSWORD } from './testing/people.ts';
import { startUnused } from './testing/servers.ts';
import { joinIn, logInAsOwner } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './testing/virtual-authenticator.ts';
import type { Watch } from './testing/watch.ts';

test.use({ serviceWorkers: 'block' });

const panelOf = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

/** What the server answers before it knows again who somebody is. */
function expectQuestions(watch: Watch): void {
  watch.expectStatus(403, /\/api\/(passkeys|user\/(second-step|recovery-codes|confirmation))/);
}

async function confirmWithPassword(page: Page, password = PASSWORD): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
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

/** The dialog that shows recovery codes, and the codes. */
async function shownCodes(page: Page): Promise<{ dialog: Locator; codes: string[] }> {
  const dialog = page.getByRole('dialog', { name: 'Ten recovery codes' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  return { dialog, codes: await dialog.getByRole('listitem').allTextContents() };
}

/** Switches the second step on, and keeps the recovery codes. */
async function switchOn(page: Page): Promise<string[]> {
  await panelOf(page).getByRole('switch', { name: 'Second step' }).click();
  const { dialog, codes } = await shownCodes(page);
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  return codes;
}

async function logOut(page: Page): Promise<void> {
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/auth/);
}

/** Logs out, with a device that offers no passkey by itself until it is asked for one. */
async function comeBack(page: Page, device: VirtualAuthenticator): Promise<void> {
  await device.answer(false);
  await logOut(page);
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
}

test('a passkey is added, logs in, gets a name, and is removed', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  const device = await addVirtualAuthenticator(page);
  await joinIn(page, newName('nina'));
  const panel = await addPasskey(page);
  await expect(panel.getByText(/^Added .* not used yet$/)).toBeVisible();
  expect(await device.count()).toBe(1);

  // Confirmed for five minutes.
  await panel.getByRole('button', { name: /^Rename / }).click();
  const naming = page.getByRole('dialog', { name: 'Name this passkey' });
  await naming.getByLabel('Name').fill('Nina’s phone');
  await naming.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByText('Nina’s phone')).toBeVisible();

  await comeBack(page, device);
  await device.answer(true);
  const useIt = async () => {
    // The field for the name offers passkeys too: the device may have answered that offer before the button is pressed.
    const pressed = page.getByRole('button', { name: 'Use a passkey' }).click({ timeout: 5_000 });
    await Promise.all([pressed.catch(() => undefined), expect(page).not.toHaveURL(/\/auth/)]);
  };
  await useIt();
  // The session goes on as that of another device would. What the page asks just then is refused.
  watch.expectStatus(401, /\/api\//);
  await page.context().clearCookies();
  await page.goto('/auth');
  await useIt();
  await page.goto('/settings');
  await expect(panel.getByText(/· used today$/)).toBeVisible();
  const sessions = page.getByRole('region', { name: 'Where you are logged in' }).getByRole('listitem');
  // Perhaps more than two: of a login that was asked for twice.
  await expect(sessions.nth(1)).toBeVisible();

  await panel.getByRole('button', { name: 'Remove Nina’s phone' }).click();
  const removal = page.getByRole('dialog');
  await expect(removal.getByText('other devices that logged in with it are logged out')).toBeVisible();
  await removal.getByRole('button', { name: 'Remove' }).click();
  await expect(panel.getByText('Nina’s phone')).toHaveCount(0);
  await expect(sessions).toHaveCount(1);
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the field for the name offers passkeys, too', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  const device = await addVirtualAuthenticator(page);
  await joinIn(page, newName('nora'));
  await addPasskey(page);
  await comeBack(page, device);
  await expect(page.getByLabel('Username or email')).toHaveAttribute('autocomplete', 'username webauthn');
  await device.answer(true);
  await page.reload();
  await expect(page).not.toHaveURL(/\/auth/);
});

test('a wrong password adds nothing, and a cancelled dialog does nothing', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  await addVirtualAuthenticator(page);
  await joinIn(page, newName('nils'));
  await page.goto('/settings');
  await panelOf(page).getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
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

test('after the password comes the passkey, or a recovery code', async ({ newPerson }) => {
  const name = newName('otto');
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  watch.expectStatus(401, /\/api\/login$/);
  watch.expectStatus(403, /\/api\/login\/second-step$/);
  const device = await addVirtualAuthenticator(page);
  await joinIn(page, name);
  await addPasskey(page);
  const codes = await switchOn(page);
  await expect(panelOf(page).getByText(/^10 of 10 left/)).toBeVisible();

  await comeBack(page, device);
  await logIn(page, name);
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused();
  await device.answer(true);
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await expect(page).not.toHaveURL(/\/auth/);

  await comeBack(page, device);
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

test('the mail about the second step takes it back, with the new passkey, and leads to a new password', async ({
  newPerson,
  server,
}) => {
  const name = newName('rita');
  const email = `${name}@example.org`;
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  watch.expectStatus(401, /\/api\//);
  // The device offers the passkey that is gone.
  watch.expectStatus(403, /\/api\/login\/passkey$/);
  await addVirtualAuthenticator(page);
  await joinIn(page, name);
  await page.goto(await mailedLink(server, 'verify', email));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  await addPasskey(page);
  await switchOn(page);

  const { page: owner } = await newPerson();
  await owner.goto(await mailedLink(server, 'second-step-on', email));
  await expect(owner.getByRole('heading', { name: 'This was not you?' })).toBeVisible();
  await owner.getByRole('button', { name: 'This was not me' }).click();
  await expect(owner.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible();
  await owner.getByRole('button', { name: 'Choose a new password' }).click();
  await owner.getByRole('dialog').getByLabel('Email').fill(email);
  await owner.getByRole('button', { name: 'Send Reset Link' }).click();
  await owner.goto(await mailedLink(server, 'reset', email));
  await owner.getByLabel('New Password', { exact: true }).fill('tall lamp, cold river');
  await owner.getByLabel('Confirm Password', { exact: true }).fill('tall lamp, cold river');
  await owner.getByRole('button', { name: 'Reset Password' }).click();
  await expect(owner.getByRole('heading', { name: 'Password changed' })).toBeVisible();
  await owner.goto('/auth');
  await logIn(owner, name, 'tall lamp, cold river');
  await expect(owner).not.toHaveURL(/\/auth/);
});

test('recovery codes are copied, saved and renewed; the last passkey takes the second step along', async ({
  newPerson,
}) => {
  const name = newName('paula');
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  await addVirtualAuthenticator(page);
  await joinIn(page, name);
  const panel = await addPasskey(page);
  const before = await switchOn(page);

  await panel.getByRole('button', { name: 'New codes' }).click();
  const { dialog, codes } = await shownCodes(page);
  expect(codes.filter((code) => before.includes(code))).toEqual([]);
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
  await expect(removal.getByText(/^It is your last one: the second step is switched off/)).toBeVisible();
  await removal.getByRole('button', { name: 'Remove' }).click();
  await expect(panel.getByRole('listitem')).toHaveCount(0);
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the second step is switched off again, with a passkey in place of the password', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  const device = await addVirtualAuthenticator(page);
  const name = newName('quentin');
  await joinIn(page, name);
  await addPasskey(page);
  // A session that was opened by password alone.
  await comeBack(page, device);
  await logIn(page, name);
  await expect(page).not.toHaveURL(/\/auth/);
  await device.answer(true);
  await page.goto('/settings');
  const panel = panelOf(page);
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await page
    .getByRole('dialog', { name: 'Confirm that it is you' })
    .getByRole('button', { name: 'Use a passkey' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'I have saved them' }).click();
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await expect(panel.getByRole('switch', { name: 'Second step' })).not.toBeChecked();
  await expect(panel.getByText('Recovery codes')).toHaveCount(0);
});

test('an account is deleted with a passkey', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  expectQuestions(watch);
  await addVirtualAuthenticator(page);
  await joinIn(page, newName('rosa'));
  await addPasskey(page);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByRole('button', { name: 'Delete it with a passkey' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('region', { name: /^Your account will be deleted on / })).toBeVisible();
});

test('without a connection the panel and the login say so', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await joinIn(page, newName('sina'));
  await page.goto('/settings');
  await expect(panelOf(page).getByRole('button', { name: 'Add a passkey' })).toBeVisible();
  await page.context().setOffline(true);
  await expect(panelOf(page).getByText('There is no connection. Passkeys need one.')).toBeVisible();

  const { page: visitor, watch: losses } = await newPerson();
  losses.expectLosses();
  await visitor.goto('/auth');
  // What the button needs is loaded.
  await expect(visitor.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await visitor.waitForLoadState('networkidle');
  await visitor.context().setOffline(true);
  await expect(visitor.getByText('There is no connection. Logging in needs one.')).toBeVisible();
  await visitor.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(visitor.getByText('The server cannot be reached.')).toBeVisible();
});

test('a browser without passkeys offers none', async ({ newPerson }) => {
  const { page } = await newPerson();
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  await page.goto('/auth');
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeHidden();
  await joinIn(page, newName('tom'));
  await page.goto('/settings');
  await expect(panelOf(page).getByText('This browser cannot use passkeys.')).toBeVisible();
});

test('where it is required, administration opens with a passkey only', async ({ newPerson }) => {
  test.slow();
  const server = await startUnused({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, watch } = await newPerson({ baseURL: server.address });
    expectQuestions(watch);
    watch.expectStatus(403, /\/api\/admin\//);
    watch.expectStatus(401, /\/api\/login$/);
    const device = await addVirtualAuthenticator(page);
    await logInAsOwner(page, server);
    await page.goto('/admin');
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
    await comeBack(page, device);
    await logIn(page, 'owner', server.ownerPassword);
    await device.answer(true);
    await page.getByRole('button', { name: 'Continue with a passkey' }).click();
    await expect(page).not.toHaveURL(/\/auth/);
    await page.goto('/admin');
    await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();
    // Before its server stops, whose refusals would be errors of the page.
    await page.close();
  } finally {
    await server.remove();
  }
});
