import { expect, type Locator, type Page } from '@playwright/test';
import type { ErrorMonitor } from './error-monitor.ts';
import { PASSWORD } from './user-actions.ts';
import type { VirtualAuthenticator } from './virtual-authenticator.ts';

/** The panel about passkeys in the settings. */
export const passkeyPanel = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

/** Expects that calls are refused before the user has confirmed their identity. */
export function expectConfirmationRequired(monitor: ErrorMonitor): void {
  monitor.expectStatus(403, /\/api\/(passkeys|user\/(second-step|recovery-codes|confirmation))/);
}

export async function confirmWithPassword(page: Page, password = PASSWORD): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByLabel('Current password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toHaveCount(0);
}

/** Opens the settings and adds a passkey there. */
export async function addPasskey(page: Page): Promise<Locator> {
  await page.goto('/settings');
  const panel = passkeyPanel(page);
  await panel.getByRole('button', { name: 'Add a passkey' }).click();
  await confirmWithPassword(page);
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  return panel;
}

/** Logs out. Without consent, the passkey offer in the username field cannot log the user in again automatically. */
export async function logOutAndWithholdConsent(
  page: Page,
  authenticator: VirtualAuthenticator,
): Promise<void> {
  await authenticator.withholdConsent();
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
}

/**
 * Presses `passwordButton`, whose call to `path` fails, and then `passkeyButton`, whose call fails with another error. Expects
 * that the dialog then shows only the second error.
 */
export async function expectLatestError(
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
