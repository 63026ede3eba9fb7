import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { FEED, gives, pageOf, TRENDING } from './testing/fake-feed.ts';
import { newName } from './testing/people.ts';
import { expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { joinIn, logInAsOwner } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block', isNewInstallation: true });

async function showNoPolls(page: Page): Promise<void> {
  await page.route(TRENDING, gives([]));
  await page.route(FEED, gives(pageOf([])));
}

const ENCODED_WITHIN_MS = 90_000;
const ADD = 'Add 24 sample polls';

test('an installation without polls offers its owner samples, an invitation and the first poll', async ({
  ownServer,
  newPerson,
}) => {
  // Each of the images is encoded first.
  test.slow();
  expect(ownServer.log()).toContain('Creating the database');
  const { page } = await newPerson({ baseURL: ownServer.address });
  await logInAsOwner(page, ownServer);
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Be the first to create a poll!')).toBeVisible();
  const { referralCode } = await (await page.request.get('/api/user')).json();
  const link = `${new URL(ownServer.address).host}/auth?ref=${referralCode}`;

  await test.step('an invitation to send and to scan', async () => {
    const invitation = page.getByRole('region', { name: 'Invite people' });
    await expect(invitation).toContainText(link);
    await expect(invitation.getByRole('img', { name: `QR code of ${link}` })).toBeVisible();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await invitation.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect(invitation.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`http://${link}`);
  });

  await test.step('accessible, and nothing beside the screen', async () => {
    await expect(page.getByRole('button', { name: ADD })).toBeEnabled();
    await expectNoViolations(page, 'an empty installation');
    await page.setViewportSize(SMALLEST);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize(PHONE);
  });

  await test.step('one tap fills it, while the cards come in', async () => {
    await page.getByRole('button', { name: ADD }).click();
    await expect(page.getByRole('article').first()).toBeVisible({ timeout: ENCODED_WITHIN_MS });
    await expect(page.getByText('Created 24 sample polls.')).toBeVisible({ timeout: ENCODED_WITHIN_MS });
    await expect(page.getByText('No more polls to load.')).toBeAttached();
    await expect(page.getByRole('article')).toHaveCount(24);
    await expect(page.getByRole('button', { name: ADD })).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Invite people' })).toHaveCount(0);
  });
});

test('samples that cannot be made say so, and wait for a connection', async ({ newPerson, server }) => {
  const { page, watch } = await newPerson();
  await showNoPolls(page);
  watch.expectStatus(500, /generate-polls$/);
  watch.expectLosses();
  await logInAsOwner(page, server);
  await page.route('**/api/admin/generate-polls', (route) =>
    route.fulfill({ status: 500, json: { message: 'Out of paint.', code: 'internal', requestId: 'r1' } }),
  );
  await page.goto('/home');
  await page.getByRole('button', { name: ADD }).click();
  await expect(page.getByText('Failed to generate polls')).toBeVisible();
  await expect(page.getByText('Out of paint.')).toBeVisible();
  await expect(page.getByRole('button', { name: ADD })).toBeEnabled();

  await page.context().setOffline(true);
  await expect(page.getByText('There is no connection. Generating polls needs one.')).toBeVisible();
  await expect(page.getByRole('button', { name: ADD })).toHaveCount(0);
});

test('others see that there are no polls, and nothing of that', async ({ newPerson }) => {
  const { page } = await newPerson();
  await showNoPolls(page);
  await joinIn(page, newName('otto'));
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create a Poll', exact: true })).toBeEnabled();
  await expect(page.getByRole('button', { name: ADD })).toHaveCount(0);
  await expect(page.getByText('Invite people')).toHaveCount(0);
});
