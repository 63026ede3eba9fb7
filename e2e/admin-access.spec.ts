import { expect } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { DESKTOP, expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { logInAsOwner, postPoll, register, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a user who is not an administrator sees “Access Denied” and is redirected to the start page', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await page.goto('/admin-panel');
  await expect(page).toHaveURL('/auth?next=%2Fadmin-panel');
  await register(page, newName('curious'));
  monitor.expectStatus(403, /\/api\/admin\/check$/);
  for (const path of ['/admin', '/admin-panel']) {
    await page.goto(path);
    await expect(page).toHaveURL('/');
    await expect(page.getByText('Access Denied')).toBeVisible();
    await expect(page.getByText("You don't have administrator privileges")).toBeVisible();
  }
  await page.goto('/admin-simple');
  await expect(page.getByRole('status').getByText('Access Denied')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the full admin panel' })).toHaveCount(0);
});

test('/admin-simple shows links to the app and its admin screens once a failed access check is retried', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  monitor.expectStatus(503, /\/api\/admin\/check$/);
  await page.route('**/api/admin/check', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
  await page.goto('/admin-simple');
  await expect(page.getByRole('heading', { name: 'Connection Error' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText(
    'Could not verify your access level. Please try again later.',
  );
  await page.getByRole('button', { name: 'Try Again' }).click();
  const diagnostic = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open diagnostic in a new tab' }).click();
  await expect(await diagnostic).toHaveURL('/diagnostic');
  await page.getByRole('link', { name: 'Open the full admin panel' }).click();
  await expect(page).toHaveURL('/admin-panel');
  await expect(page.getByRole('tab', { name: 'Users' })).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Return to the app' }).click();
  await expect(page).toHaveURL('/');
});

test('the admin screens say that they need a connection, and load once the device is online again', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await logInAsOwner(page, server);
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await waitForServiceWorker(page);

  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.goto('/admin');
  await expect(page.getByText('only work online')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('list', { name: 'Users' }).getByRole('listitem').first()).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByRole('main').getByText('only work online')).toBeVisible();
  await page.goto('/settings');
  await expect(page.getByText('Connect to generate polls.')).toBeVisible();
});

test('the admin tabs fit phones and desktops, and axe finds no violations', async ({ newUser, server }) => {
  test.slow();
  const { page: maker } = await newUser();
  await register(maker, newName('rosalind-with-a-long-name'));
  const question = 'A question that has many words, and some that areverylongwithoutanyspace?';
  const { id } = await postPoll(maker, question);
  const { page: reporter } = await newUser();
  await register(reporter, newName('rita'));
  const report = await reporter.request.post(`/api/questions/${id}/report`, { data: { reason: 'spam' } });
  expect(report.status()).toBe(200);
  const { page } = await newUser({ viewport: PHONE, reducedMotion: 'reduce' });
  await logInAsOwner(page, server);
  for (const [path, heading] of [
    ['/admin?tab=overview', 'Votes per day'],
    ['/admin', 'rosalind-with-a-long-name'],
    ['/admin?tab=polls', question],
    ['/admin?tab=reports', question],
    ['/admin-simple', 'Admin'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    for (const viewport of [SMALLEST, PHONE, DESKTOP]) {
      await page.setViewportSize(viewport);
      await expectNoHorizontalScroll(page);
    }
    await expectNoViolations(page, path);
  }
});

test('an administrator whose session has ended is asked to log in', async ({ newUser, server }) => {
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  await page.goto('/settings');
  const adminLink = page.getByRole('link', { name: 'Admin' }).first();
  await expect(adminLink).toBeVisible();
  monitor.expectStatus(401, /\/api\/(admin\/check|user)$/);
  await page.route(/\/api\/(admin\/check|user)$/, (route) =>
    route.fulfill({
      status: 401,
      json: { code: 'unauthenticated', message: 'Please log in.', requestId: 'r1' },
    }),
  );
  await adminLink.click();
  await expect(page).toHaveURL('/auth?next=%2Fadmin');
  await expect(page.getByText('Access Denied')).toBeHidden();
});

test('a failed access check is retried automatically', async ({ newUser, server }) => {
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  monitor.expectNetworkErrors();
  let checkCount = 0;
  await page.route('**/api/admin/check', (route) => {
    checkCount += 1;
    return checkCount === 1 ? route.abort() : route.continue();
  });
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Connection Error' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
  expect(checkCount).toBe(2);
});

test('when a chunk of the admin screen fails to load, the page reloads and shows the screen', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  monitor.expectNetworkErrors();
  await page.route('**/assets/admin/*.js', (route) => route.abort());
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Connection Error' })).toBeVisible();
  await page.unroute('**/assets/admin/*.js');
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
});

test('a failed fetch of the users shows an error, and Try Again loads them', async ({ newUser, server }) => {
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  monitor.expectStatus(500, /\/api\/admin\/users/);
  await page.route('**/api/admin/users?*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 });
  await page.goto('/admin');
  const alert = page.getByRole('alert').filter({ hasText: 'Failed to fetch users' });
  await expect(alert).toBeVisible();
  await alert.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
  await expect(alert).toHaveCount(0);
});
