import { expect, type Page } from '@playwright/test';
import type { ErrorMonitor } from './error-monitor.ts';
import { logIn, PASSWORD } from './user-actions.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

/** The screens and dialogs about passkeys, in the order in which they have to be opened by a logged-in user. */
export function passkeyScreens(
  page: Page,
  monitor: ErrorMonitor,
): readonly { name: string; open(): Promise<void> }[] {
  const dialog = page.getByRole('dialog');
  const panel = page.getByRole('region', { name: 'Passkeys' });
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  let authenticator: VirtualAuthenticator | null = null;
  let username = '';
  return [
    {
      name: 'the confirmation of identity',
      async open() {
        monitor.expectStatus(403, /\/api\/(?:passkeys|user\/)/);
        monitor.expectStatus(401, /\/api\/login$/);
        authenticator = await addVirtualAuthenticator(page);
        username = (await (await page.request.get('/api/user')).json()).username;
        await page.goto('/settings');
        await press('Add a passkey');
        await expect(dialog.getByRole('button', { name: 'Confirm' })).toBeVisible();
      },
    },
    {
      name: 'recovery codes',
      async open() {
        await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD);
        await press('Confirm');
        await panel.getByRole('switch').click();
        await expect(dialog.getByRole('listitem')).toHaveCount(10);
      },
    },
    {
      name: 'the panel with a passkey',
      async open() {
        await press('I have saved them');
        await expect(panel.getByText('10 of 10 left')).toBeVisible();
      },
    },
    {
      name: 'the name of a passkey',
      async open() {
        await press(/^Rename /);
        await expect(dialog.getByLabel('Name')).toBeFocused();
      },
    },
    {
      name: 'the removal of a passkey',
      async open() {
        await press('Cancel');
        await press(/^Remove /);
        await expect(dialog.getByText('It is your last one')).toBeVisible();
      },
    },
    {
      name: 'the deletion of the account with a passkey',
      async open() {
        await press('Cancel');
        await press('Delete my account');
        await expect(dialog.getByRole('button', { name: 'Delete it with a passkey' })).toBeVisible();
      },
    },
    {
      name: 'the second step',
      async open() {
        await press('Keep my account');
        // With consent, the passkey offer in the username field would log in automatically.
        await authenticator?.withholdConsent();
        await press('Logout');
        await logIn(page, username);
        await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused();
      },
    },
    {
      name: 'the second step with a recovery code',
      async open() {
        await press('Use a recovery code');
        await expect(page.getByLabel('Recovery code')).toBeVisible();
      },
    },
  ];
}
