import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import {
  addPasskey,
  expectConfirmationRequired,
  expectLatestError,
  logOutAndWithholdConsent,
  passkeyPanel,
} from './testing/passkeys.ts';
import { waitTwoFrames } from './testing/screens.ts';
import { register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, logOut, newName } from './testing/user-actions.ts';
import { addVirtualAuthenticator } from './testing/virtual-authenticator.ts';

test.use({ serviceWorkers: 'block' });

/** The dialog with the recovery codes, and the codes. */
async function recoveryCodes(page: Page): Promise<{ dialog: Locator; codes: string[] }> {
  const dialog = page.getByRole('dialog', { name: 'Ten recovery codes' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  return { dialog, codes: await dialog.getByRole('listitem').allTextContents() };
}

/** Switches the second step on; returns the recovery codes. */
async function switchOnSecondStep(page: Page): Promise<string[]> {
  await passkeyPanel(page).getByRole('switch', { name: 'Second step' }).click();
  const { dialog, codes } = await recoveryCodes(page);
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  return codes;
}

test('with the second step, a login needs the password and then a passkey or a recovery code', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('otto');
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  monitor.expectStatus(401, /\/api\/login$/);
  monitor.expectStatus(400, /\/api\/login\/second-step$/);
  monitor.expectStatus(403, /\/api\/login\/second-step$/);
  const authenticator = await addVirtualAuthenticator(page);
  await register(page, name);
  await addPasskey(page);
  const codes = await switchOnSecondStep(page);
  await expect(passkeyPanel(page).getByText(/^10 of 10 left/)).toBeVisible();

  await logOutAndWithholdConsent(page, authenticator);
  await logIn(page, name);
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused();
  await authenticator.giveConsent();
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await expect(page).not.toHaveURL(/\/auth/);

  await logOutAndWithholdConsent(page, authenticator);
  await logIn(page, name);
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByLabel('Username or email')).toBeFocused();
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  const expired = {
    code: 'invalid_token',
    message: 'That took too long. Please log in again.',
    requestId: 'r1',
  };
  const released = Promise.withResolvers<void>();
  const answerExpired = (waitFor: Promise<void>) =>
    page.route(
      '**/api/login/second-step',
      (route) => waitFor.then(() => route.fulfill({ status: 400, json: expired })),
      { times: 1 },
    );
  await answerExpired(released.promise);
  await page.getByLabel('Recovery code').fill('0000-0000');
  await page.getByRole('button', { name: 'Log In' }).click();
  await test.step('a late error of an abandoned second step does not end the one that was begun since', async () => {
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Log In' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    released.resolve();
    await expect(page.getByText(expired.message)).toBeVisible();
    await expect(page.getByLabel('Recovery code')).toBeFocused();
  });

  await answerExpired(Promise.resolve());
  await page.getByLabel('Recovery code').fill('0000-0000');
  await page.getByRole('button', { name: 'Log In' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toHaveText(expired.message);
  await expect(alert).toBeFocused();

  await page.getByRole('button', { name: 'Log In' }).click();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await expect(page.getByLabel('Recovery code')).toBeFocused();
  await page.getByLabel('Recovery code').fill('0000-0000');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(alert).toHaveText('That is not one of your unused recovery codes.');
  await page.getByLabel('Recovery code').fill((codes[4] ?? '').toLowerCase());
  await expect(alert).toHaveCount(0);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).not.toHaveURL(/\/auth/);
  await page.goto('/settings');
  await expect(passkeyPanel(page).getByText(/^9 of 10 left/)).toBeVisible();
});

test('the link in the mail about the second step undoes it, and leads to a new password', async ({
  newUser,
  server,
}) => {
  const name = newName('rita');
  const email = `${name}@example.org`;
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  monitor.expectStatus(401, /\/api\//);
  // On the first device, /auth automatically tries the removed passkey.
  monitor.expectStatus(403, /\/api\/login\/passkey$/);
  await addVirtualAuthenticator(page);
  await register(page, name);
  await page.goto(await mailedLink(server, 'verify', email));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();
  await addPasskey(page);
  await switchOnSecondStep(page);

  const { page: otherDevice, monitor: otherMonitor } = await newUser();
  const link = await mailedLink(server, 'second-step-on', email);
  await otherDevice.goto(link);
  await expect(otherDevice.getByRole('heading', { name: 'Not you?' })).toBeVisible();
  await otherDevice.getByRole('button', { name: 'This was not me' }).click();
  await expect(otherDevice.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible();

  await test.step('the link was used, but the response was lost', async () => {
    otherMonitor.expectStatus(502, /\/api\/undo-passkeys$/);
    otherMonitor.expectStatus(400, /\/api\/undo-passkeys$/);
    await otherDevice.goto(link);
    await otherDevice.route('**/api/undo-passkeys', (route) => route.fulfill({ status: 502, body: '' }), {
      times: 1,
    });
    await otherDevice.getByRole('button', { name: 'This was not me' }).click();
    await expect(otherDevice.getByRole('alert')).toBeVisible();
    await otherDevice.getByRole('button', { name: 'This was not me' }).click();
    await expect(
      otherDevice.getByRole('heading', { name: 'This may already have been undone' }),
    ).toBeVisible();
  });
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
  expectConfirmationRequired(monitor);
  await addVirtualAuthenticator(page);
  await register(page, name);
  const panel = await addPasskey(page);
  const before = await switchOnSecondStep(page);

  const note = panel.getByRole('alert').filter({ hasText: 'New recovery codes were made' });
  await test.step('codes renewed on another device after a failed renaming are not said to be lost', async () => {
    monitor.expectStatus(502, /\/api\/passkeys\/[^/]+$/);
    await page.route('**/api/passkeys/*', (route) => route.fulfill({ status: 502, body: '' }), { times: 1 });
    await panel.getByRole('button', { name: /^Rename / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(panel.getByRole('alert')).toBeVisible();
    await page.evaluate(() => fetch('/api/user/recovery-codes', { method: 'POST' }));
    await page.getByRole('link', { name: 'Polls' }).click();
    await page.goBack();
    await expect(panel.getByText(/^10 of 10 left/)).toBeVisible();
    await expect(note).toHaveCount(0);
  });

  await test.step('the response with new codes is lost', async () => {
    monitor.expectStatus(502, /\/api\/user\/recovery-codes$/);
    await page.route(
      '**/api/user/recovery-codes',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 502, body: '' });
      },
      { times: 1 },
    );
    await panel.getByRole('button', { name: 'New codes' }).click();
    await expect(note).toBeVisible();
    await page.getByRole('link', { name: 'Polls' }).click();
    await page.goBack();
    await expect(note).toBeVisible();
  });

  await panel.getByRole('button', { name: 'New codes' }).click();
  const { dialog, codes } = await recoveryCodes(page);
  expect(codes.filter((code) => before.includes(code))).toEqual([]);
  await test.step('codes that were not saved are shown again after Back', async () => {
    await page.goForward();
    await expect(dialog).toHaveCount(0);
    await page.goBack();
    expect((await recoveryCodes(page)).codes).toEqual(codes);
  });
  await test.step('codes that were not saved are shown again after the session has ended', async () => {
    monitor.expectStatus(401, /\/api\//);
    // The username field of the login offers the passkey, and the authenticator consents.
    const loggedIn = page.waitForResponse('**/api/login/passkey');
    await page.evaluate(() => fetch('/api/logout', { method: 'POST' }));
    await loggedIn;
    expect((await recoveryCodes(page)).codes).toEqual(codes);
  });
  await expect(panel.getByText('could not be shown')).toBeHidden();
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

  await test.step('a logout forgets codes that were not saved', async () => {
    await panel.getByRole('button', { name: 'New codes' }).click();
    await recoveryCodes(page);
    await page.goForward();
    const loggedIn = page.waitForResponse('**/api/login/passkey');
    await logOut(page);
    await loggedIn;
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect(panel.getByText(/^10 of 10 left/)).toBeVisible();
    await expect(dialog).toHaveCount(0);
  });

  // As if another passkey had been removed on another device since this list was loaded.
  await page.route(
    '**/api/passkeys',
    async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const [passkey] = list.passkeys;
      list.passkeys.push({ ...passkey, id: crypto.randomUUID(), name: 'Removed meanwhile' });
      await route.fulfill({ response, json: list });
    },
    { times: 1 },
  );
  await page.reload();
  await expect(panel.getByText('Removed meanwhile')).toBeVisible();
  await panel
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  const removal = page.getByRole('dialog');
  await expect(removal.getByText(/^It is your last one: the second step will be turned off/)).toBeVisible();
  await removal.getByRole('button', { name: 'Cancel' }).click();

  await test.step('a list that was requested before the removal and arrives after it is ignored', async () => {
    const requested = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    await page.route(
      '**/api/passkeys',
      async (route) => {
        const response = await route.fetch();
        requested.resolve();
        await removed.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const received = page.waitForResponse('**/api/passkeys');
    await panel
      .getByRole('button', { name: /^Remove / })
      .first()
      .click();
    await requested.promise;
    await removal.getByRole('button', { name: 'Remove' }).click();
    await expect(panel.getByRole('listitem')).toHaveCount(0);
    removed.resolve();
    await received;
    await waitTwoFrames(page);
    await expect(panel.getByRole('listitem')).toHaveCount(0);
  });
  await expect(panel.getByRole('switch')).toHaveCount(0);
});

test('the second step can be switched on and off after a confirmation by passkey', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  const name = newName('quentin');
  await register(page, name);
  await addPasskey(page);
  // The session of a login by password is not confirmed.
  await logOutAndWithholdConsent(page, authenticator);
  await logIn(page, name);
  await expect(page).not.toHaveURL(/\/auth/);
  await authenticator.giveConsent();
  await page.goto('/settings');
  const panel = passkeyPanel(page);
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await expectLatestError(page, monitor, {
    path: '**/api/user/confirmation',
    passwordButton: 'Confirm',
    passkeyButton: 'Use a passkey',
  });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/user/confirmation/options', (route) => released.then(() => route.continue()), {
    times: 1,
  });
  const confirmation = page.getByRole('dialog', { name: 'Confirm it is you' });
  await confirmation.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(confirmation.getByRole('button', { name: 'Waiting for your passkey…' })).toBeFocused();
  release();
  await page.getByRole('dialog').getByRole('button', { name: 'I have saved them' }).click();
  await panel.getByRole('switch', { name: 'Second step' }).click();
  await expect(panel.getByRole('switch', { name: 'Second step' })).not.toBeChecked();
  await expect(panel.getByText('Recovery codes')).toHaveCount(0);
});
