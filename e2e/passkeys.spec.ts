import { expect } from '@playwright/test';
import { holdFirstResponse, reconnect } from './testing/held-response.ts';
import {
  addPasskey,
  confirmWithPassword,
  expectConfirmationRequired,
  expectLatestError,
  logOutAndWithholdConsent,
  passkeyPanel,
} from './testing/passkeys.ts';
import { waitTwoFrames } from './testing/screens.ts';
import { startFromTemplate } from './testing/servers.ts';
import { logInAsOwner, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, newName } from './testing/user-actions.ts';
import { addVirtualAuthenticator } from './testing/virtual-authenticator.ts';

test.use({ serviceWorkers: 'block' });

test('a passkey can be added, renamed, used to log in, and removed', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await register(page, newName('nina'));
  const panel = await addPasskey(page);
  await expect(panel.getByText(/^Added .* not used yet$/)).toBeVisible();
  expect(await authenticator.count()).toBe(1);

  // The session is still confirmed.
  await panel.getByRole('button', { name: /^Rename / }).click();
  const nameDialog = page.getByRole('dialog', { name: 'Name this passkey' });
  await nameDialog.getByLabel('Name').fill('Nina’s phone');
  await nameDialog.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByText('Nina’s phone')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Rename Nina’s phone' })).toBeFocused();

  // Consents only to requests by the button: otherwise the username field could log in, too.
  await authenticator.showDialogs();
  page.on('dialog', (dialog) => authenticator.giveConsent().then(() => dialog.accept()));
  const logInWithPasskey = async () => {
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page).not.toHaveURL(/\/auth/);
    await authenticator.withholdConsent();
  };
  await logOutAndWithholdConsent(page, authenticator);
  await logInWithPasskey();
  // Without cookies and storage, the browser is another device, while the session remains on the server. The app must not be open
  // meanwhile: it would use the session.
  await page.goto('/api/health');
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Storage.clearDataForOrigin', { origin: server.address, storageTypes: 'all' });
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
  await expect(panel.locator(':focus')).toBeAttached();
});

test('a passkey that the username field offers logs in', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await register(page, newName('nora'));
  await addPasskey(page);
  await logOutAndWithholdConsent(page, authenticator);
  await expect(page.getByLabel('Username or email')).toHaveAttribute('autocomplete', 'username webauthn');
  await authenticator.giveConsent();
  await page.reload();
  await expect(page).not.toHaveURL(/\/auth/);
});

test('the username field offers passkeys again after a cancelled login by button', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  const authenticator = await addVirtualAuthenticator(page);
  await register(page, newName('noah'));
  await addPasskey(page);
  await authenticator.showDialogs();
  // Cancels the request of the button, and consents to the next offer of the username field.
  page.once('dialog', async (dialog) => {
    await authenticator.giveConsent();
    await dialog.dismiss();
  });
  const offered = page.waitForResponse('**/api/login/passkey/options');
  await logOutAndWithholdConsent(page, authenticator);
  await offered;
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page).not.toHaveURL(/\/auth/);
});

test('no passkey is added after a wrong password and a cancelled dialog', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  await addVirtualAuthenticator(page);
  await register(page, newName('nils'));
  await page.goto('/settings');
  await passkeyPanel(page).getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('Enter your current password')).toBeVisible();
  await dialog.getByLabel('Current password', { exact: true }).fill('not my password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('This is not your current password')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(passkeyPanel(page).getByRole('listitem')).toHaveCount(0);
  await expect(passkeyPanel(page).getByRole('alert')).toHaveCount(0);
  await expect(passkeyPanel(page).getByRole('button', { name: 'Add a passkey' })).toBeEnabled();
});

test('an account is deleted with a passkey', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  await addVirtualAuthenticator(page);
  await register(page, newName('rosa'));
  await addPasskey(page);
  // The pointer is still where it clicked Confirm, and a toast under the pointer stays: it would cover the button.
  await page.mouse.move(0, 0);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await expectLatestError(page, monitor, {
    path: '**/api/user/deletion',
    passwordButton: 'Delete my account',
    passkeyButton: 'Delete it with a passkey',
  });
  const deletion = '**/api/user/deletion';
  monitor.expectStatus(502, /\/api\/user\/deletion$/);
  await page.route(deletion, (route) => route.fulfill({ status: 502, body: '' }), { times: 1 });
  await dialog.getByRole('button', { name: 'Delete my account' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(/not available right now/);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/user/confirmation/options', async (route) => {
    await released;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Delete it with a passkey' }).click();
  const waiting = dialog.getByRole('button', { name: 'Waiting for your passkey…' });
  await expect(waiting).toBeFocused();
  await expect(waiting).toBeDisabled();
  await expect(dialog.getByRole('radio').first()).toBeDisabled();

  // After the lost response, to keep the account needs a request, and the passkey may be given before its response.
  const requests: string[] = [];
  page.on(
    'request',
    (request) => request.url().endsWith('/api/user/deletion') && requests.push(request.method()),
  );
  const { promise: cancellationReleased, resolve: releaseCancellation } = Promise.withResolvers<void>();
  await page.route(deletion, (route) => cancellationReleased.then(() => route.continue()), { times: 1 });
  await dialog.getByRole('button', { name: 'Keep my account' }).click();
  await expect(dialog.getByRole('button', { name: 'Keep my account' })).toBeDisabled();
  release();
  const passkeyButton = dialog.getByRole('button', { name: 'Delete it with a passkey' });
  await expect(passkeyButton).toBeVisible();
  await passkeyButton.click({ force: true });
  await expect(passkeyButton).toBeVisible();
  releaseCancellation();
  await expect(dialog).toHaveCount(0);
  expect(requests).toEqual(['DELETE']);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await dialog.getByRole('button', { name: 'Delete it with a passkey' }).click();
  await expect(dialog).toHaveCount(0);
  expect(requests).toEqual(['DELETE', 'POST']);
  await expect(page.getByRole('region', { name: /^Your account will be deleted on / })).toBeVisible();
});

test('a passkey that was removed while an older list was on its way is not shown again', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  await addVirtualAuthenticator(page);
  await register(page, newName('nora'));
  const panel = await addPasskey(page);

  const held = await holdFirstResponse(page, '**/api/passkeys');
  await reconnect(page, monitor);
  expect(await held.body).toMatchObject({ passkeys: [{}] });
  await panel.getByRole('button', { name: /^Remove / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('Passkey removed')).toBeVisible();
  await expect(panel.getByRole('listitem')).toHaveCount(0);
  await held.release();
  await waitTwoFrames(page);
  await expect(panel.getByRole('listitem')).toHaveCount(0);
});

test('the list of sessions is loaded again after the removal of a passkey whose response was lost', async ({
  newUser,
}) => {
  const name = newName('nick');
  const { page, monitor } = await newUser();
  expectConfirmationRequired(monitor);
  monitor.expectStatus(502, /\/api\/passkeys\/[^/]+$/);
  await addVirtualAuthenticator(page);
  await register(page, name);
  const panel = await addPasskey(page);
  const sessions = page.getByRole('region', { name: 'Where you are logged in' }).getByRole('listitem');
  await expect(sessions).toHaveCount(1);
  const { page: otherDevice } = await newUser();
  await otherDevice.goto('/auth');
  await logIn(otherDevice, name);
  await page.route(
    '**/api/passkeys/*',
    async (route) => {
      await route.fetch();
      await route.fulfill({ status: 502, body: '' });
    },
    { times: 1 },
  );
  await panel.getByRole('button', { name: /^Remove / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(panel.getByRole('listitem')).toHaveCount(0);
  await expect(sessions).toHaveCount(2);
});

test('offline, the passkey panel and the login say that there is no connection', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await register(page, newName('sina'));
  await page.goto('/settings');
  await expect(passkeyPanel(page).getByRole('button', { name: 'Add a passkey' })).toBeVisible();
  await page.context().setOffline(true);
  await expect(
    passkeyPanel(page).getByText('You are offline. Connect to manage your passkeys.'),
  ).toBeVisible();

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
  await register(page, newName('tom'));
  await page.goto('/settings');
  await expect(passkeyPanel(page).getByText('This browser cannot use passkeys.')).toBeVisible();
});

test('with ADMIN_PASSKEY=required, the admin screens need a passkey', async ({ newUser }) => {
  test.slow();
  const server = await startFromTemplate({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, monitor } = await newUser({ baseURL: server.address });
    expectConfirmationRequired(monitor);
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
    const codes = page.getByRole('dialog', { name: 'Ten recovery codes' });
    await expect(codes.getByRole('listitem')).toHaveCount(10);
    const shownCodes = await codes.getByRole('listitem').allTextContents();
    monitor.expectNetworkErrors();
    for (const isOffline of [true, false]) {
      await page.context().setOffline(isOffline);
      await page.waitForFunction((expected) => navigator.onLine !== expected, isOffline);
      await waitTwoFrames(page);
      expect(await codes.getByRole('listitem').allTextContents()).toEqual(shownCodes);
    }
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();

    await page.goto('/settings');
    await expect(passkeyPanel(page).getByRole('switch', { name: 'Second step' })).toBeDisabled();
    await logOutAndWithholdConsent(page, authenticator);
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

test('with ADMIN_PASSKEY=required, administrators get recovery codes although responses are lost', async ({
  newUser,
}) => {
  const server = await startFromTemplate({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, monitor } = await newUser({ baseURL: server.address });
    expectConfirmationRequired(monitor);
    monitor.expectStatus(403, /\/api\/admin\//);
    monitor.expectStatus(502, /\/api\/passkeys$/);
    await addVirtualAuthenticator(page);
    await logInAsOwner(page, server);
    await page.goto('/admin');
    await expect(page.getByRole('heading', { name: 'Add a passkey first' })).toBeVisible();
    await page.route(
      '**/api/passkeys',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 502, body: '' });
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await confirmWithPassword(page, server.ownerPassword);
    await expect(page.getByRole('heading', { name: 'Use your passkey' })).toBeVisible();
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    monitor.expectNetworkErrors();
    const reconnect = async () => {
      await page.context().setOffline(true);
      await expect(page.getByText('The admin tools only work online.')).toBeVisible();
      await page.context().setOffline(false);
      await expect(page.getByRole('heading', { name: 'Use your passkey' })).toBeVisible();
    };
    await reconnect();
    await page.route('**/api/user/recovery-codes', (route) => route.fetch().then(() => route.abort()), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await reconnect();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const codes = page.getByRole('dialog', { name: 'Ten recovery codes' });
    await expect(codes.getByRole('listitem')).toHaveCount(10);
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();
    await page.close();
  } finally {
    await server.remove();
  }
});
