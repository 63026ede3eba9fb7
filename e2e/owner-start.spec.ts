import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import {
  copyOfPoll,
  createTemplatePoll,
  FEED_URL,
  feedPage,
  respondWith,
  TRENDING_URL,
} from './testing/fake-feed.ts';
import { expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { logInAsOwner, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block', isNewInstallation: true });

async function serveEmptyFeed(page: Page): Promise<void> {
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([])));
}

const GENERATION_TIMEOUT_MS = 90_000;
const ADD_SAMPLES = 'Add 24 sample polls';

test('an installation without polls lets its owner add sample polls, invite people and create a poll', async ({
  ownServer,
  newUser,
}) => {
  // The server encodes 48 images.
  test.slow();
  expect(ownServer.log()).toContain('Creating the database');
  const { page } = await newUser({ baseURL: ownServer.address });
  await logInAsOwner(page, ownServer);
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Be the first to create a poll!')).toBeVisible();
  const { referralCode } = await (await page.request.get('/api/user')).json();
  const link = `${new URL(ownServer.address).host}/auth?ref=${referralCode}`;

  await test.step('the invitation has a link to copy and a QR code', async () => {
    const invitation = page.getByRole('region', { name: 'Invite people' });
    await expect(invitation).toContainText(link);
    await expect(invitation.getByRole('img', { name: `QR code of ${link}` })).toBeVisible();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await invitation.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect(invitation.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`http://${link}`);
  });

  await test.step('axe finds no violations, and nothing overflows the screen', async () => {
    await expect(page.getByRole('button', { name: ADD_SAMPLES })).toBeEnabled();
    await expectNoViolations(page, 'an empty installation');
    await page.setViewportSize(SMALLEST);
    await expectNoHorizontalScroll(page);
    await page.setViewportSize(PHONE);
  });

  await test.step('one tap, or two at once, generates the sample polls, which appear in the feed', async () => {
    await page.getByRole('button', { name: ADD_SAMPLES }).dblclick();
    const samples = page.getByRole('region', { name: 'Sample polls' });
    await expect(samples.getByRole('progressbar')).toBeVisible();
    await expect(samples.locator(':focus')).toHaveCount(1);
    await expect(page.getByRole('article').first()).toBeVisible({ timeout: GENERATION_TIMEOUT_MS });
    await expect(page.getByText('Created 24 sample polls.')).toBeVisible({ timeout: GENERATION_TIMEOUT_MS });
    await expect(page.getByText('No more polls to load.')).toBeAttached();
    await expect(page.getByRole('article')).toHaveCount(24);
    await expect(page.getByRole('button', { name: ADD_SAMPLES })).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Invite people' })).toHaveCount(0);
    await expect(page.locator('#main')).toBeFocused();
  });
});

test('a failure to generate sample polls is shown, and the button is hidden offline', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await serveEmptyFeed(page);
  monitor.expectStatus(500, /generate-polls$/);
  monitor.expectNetworkErrors();
  await logInAsOwner(page, server);
  await page.route('**/api/admin/generate-polls', (route) =>
    route.fulfill({ status: 500, json: { message: 'Out of paint.', code: 'internal', requestId: 'r1' } }),
  );
  await page.goto('/home');
  await page.getByRole('button', { name: ADD_SAMPLES }).click();
  await expect(page.getByText('Failed to generate polls')).toBeVisible();
  await expect(page.getByText('Out of paint.')).toBeVisible();
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toBeFocused();
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toBeEnabled();

  await page.context().setOffline(true);
  await expect(page.getByText('You are offline. Connect to generate polls.')).toBeVisible();
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toHaveCount(0);
});

test('sample polls are only offered once the feed was loaded again, even if it was empty at an earlier visit', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser();
  await serveEmptyFeed(page);
  await logInAsOwner(page, server);
  await page.goto('/home');
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toBeVisible();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(FEED_URL, async (route) => {
    await released;
    await respondWith(feedPage([]))(route);
  });
  await page.reload();
  await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible();
  // Longer than the page takes to read the stored feed.
  await page.waitForTimeout(1_000);
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toHaveCount(0);
  release();
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toBeVisible();
});

test('the progress of the sample polls is still shown after a loss of the connection', async ({
  newUser,
  server,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await serveEmptyFeed(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isDelayed = false;
  await page.route('**/api/admin/jobs', async (route) => {
    if (isDelayed) await released;
    const job = { id: randomUUID(), kind: 'generate-polls', state: 'running', done: 3, total: 24 };
    await route.fulfill({ json: [{ ...job, message: null, createdAt: new Date().toISOString() }] });
  });
  await logInAsOwner(page, server);
  await page.goto('/home');
  const progress = page.getByRole('region', { name: 'Sample polls' }).getByRole('progressbar');
  await expect(progress).toBeVisible();
  await page.unroute(FEED_URL);
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.context().setOffline(true);
  await expect(page.getByText('You are offline. Connect to generate polls.')).toBeVisible();
  isDelayed = true;
  await page.context().setOffline(false);
  await expect(page.getByText('You are offline. Connect to generate polls.')).toBeHidden({ timeout: 40_000 });
  release();
  await expect(progress).toBeVisible();
});

test('other users see the empty feed without the owner’s offers', async ({ newUser }) => {
  const { page } = await newUser();
  await serveEmptyFeed(page);
  await registerAndOpenHome(page, newName('otto'));
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create a Poll', exact: true })).toBeEnabled();
  await expect(page.getByRole('button', { name: ADD_SAMPLES })).toHaveCount(0);
  await expect(page.getByText('Invite people')).toHaveCount(0);
});
