import { expect } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { newName } from './testing/people.ts';
import { DESKTOP, expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { joinIn, logInAsOwner, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

test('whoever is no administrator is told so and led to the start', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  await page.goto('/admin-panel');
  await expect(page).toHaveURL('/auth?next=%2Fadmin-panel');
  await joinIn(page, newName('curious'));
  watch.expectStatus(403, /\/api\/admin\/check$/);
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

test('the smallest admin page leads to the others', async ({ newPerson, server }) => {
  const { page, watch } = await newPerson();
  await logInAsOwner(page, server);
  watch.expectStatus(503, /\/api\/admin\/check$/);
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

test('without a connection the administrators’ screens say so, and come to life when it is back', async ({
  newPerson,
  server,
}) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  await logInAsOwner(page, server);
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await untilKept(page);

  watch.expectLosses();
  await page.context().setOffline(true);
  await page.goto('/admin');
  await expect(page.getByText('work online only')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('list', { name: 'Users' }).getByRole('listitem').first()).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByRole('main').getByText('work online only')).toBeVisible();
  await page.goto('/settings');
  await expect(page.getByText('Generating polls needs one.')).toBeVisible();
});

test('the administrators’ tabs fit phones and desktops, and axe finds nothing wrong', async ({
  newPerson,
  server,
}) => {
  test.slow();
  const { page: maker } = await newPerson();
  await register(maker, newName('rosalind-with-a-long-name'));
  await postPoll(maker, 'A question that has many words, and some that areverylongwithoutanyspace?');
  const { page } = await newPerson({ viewport: PHONE, reducedMotion: 'reduce' });
  await logInAsOwner(page, server);
  for (const [path, shown] of [
    ['/admin?tab=overview', 'Votes a day'],
    ['/admin', 'rosalind-with-a-long-name'],
    ['/admin?tab=polls', 'A question that has many words'],
    ['/admin-simple', 'Admin'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: shown }).first()).toBeVisible();
    for (const viewport of [SMALLEST, PHONE, DESKTOP]) {
      await page.setViewportSize(viewport);
      await expectNoSidewaysScroll(page);
    }
    await expectNoViolations(page, path, [PHONE, DESKTOP]);
  }
});

test('a first request that gets lost is made again by itself', async ({ newPerson, server }) => {
  const { page, watch } = await newPerson();
  await logInAsOwner(page, server);
  watch.expectLosses();
  let asked = 0;
  await page.route('**/api/admin/check', (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Connection Error' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
  expect(asked).toBe(2);
});

test('a part of the screen that gets lost comes with the page anew', async ({ newPerson, server }) => {
  const { page, watch } = await newPerson();
  await logInAsOwner(page, server);
  watch.expectLosses();
  await page.route('**/assets/admin/*.js', (route) => route.abort());
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Connection Error' })).toBeVisible();
  await page.unroute('**/assets/admin/*.js');
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
});

test('users that cannot be fetched are told, and are there after another try', async ({
  newPerson,
  server,
}) => {
  const { page, watch } = await newPerson();
  await logInAsOwner(page, server);
  watch.expectStatus(500, /\/api\/admin\/users/);
  await page.route('**/api/admin/users?*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 });
  await page.goto('/admin');
  const alert = page.getByRole('alert').filter({ hasText: 'Failed to fetch users' });
  await expect(alert).toBeVisible();
  await alert.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('list', { name: 'Users' })).toBeVisible();
  await expect(alert).toHaveCount(0);
});
