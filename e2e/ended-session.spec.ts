import { expect } from '@playwright/test';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, logIn, logOut, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a vote cast after the session has ended waits, and is sent after the next login', {
  tag: '@core',
}, async ({ newUser }) => {
  const question = 'Bread or cake?';
  const name = newName('sven');
  const { page: maker } = await newUser();
  const { page, monitor } = await newUser();
  await register(maker, newName('tara'));
  await postPoll(maker, question, { captions: ['Bread', 'Cake'] });
  await registerAndOpenHome(page, name);
  await expectImages(card(page, question));

  monitor.expectStatus(401, /\/api\//);
  await page.context().clearCookies();
  await card(page, question).getByRole('button', { name: 'Bread' }).click();
  await expect(page).toHaveURL(/\/auth\?next=%2Fhome$/);
  await expect(page.getByText('Log in to send 1 change')).toBeVisible();

  // The newly opened app considers the session valid until the server refuses it, and would leave the login page at once.
  const refused = page.waitForResponse('**/api/user');
  await page.goto('/outbox');
  await expect(page.getByRole('listitem').filter({ hasText: question })).toContainText('Bread');
  await refused;
  await expect(page.getByRole('link', { name: 'Log in to send 1 change' })).toBeVisible();
  await logOut(page);
  const logout = page.getByRole('dialog', { name: 'Log out with 1 change waiting?' });
  await expect(logout).toContainText('Log in again to send it.');
  await expect(logout.getByRole('button')).toHaveText(['Keep for this account', 'Discard 1', 'Cancel']);
  await logout.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Log in to send 1 change' }).click();
  await expect(page).toHaveURL(/\/auth\?next=%2Foutbox$/);
  await logIn(page, name);
  await expect(page).toHaveURL(/\/outbox$/);
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  // Ten for the sign-up, one for the login, one for the vote.
  await expect(points(page)).toHaveText('12');
});

test('a waiting vote is neither shown to nor sent by the next user of the device', { tag: '@core' }, async ({
  newUser,
}) => {
  const question = 'Rain or snow?';
  const names = { uma: newName('uma'), vito: newName('vito') };
  const { page: maker } = await newUser();
  const { page, monitor } = await newUser();
  await register(maker, newName('wendy'));
  await postPoll(maker, question, { captions: ['Rain', 'Snow'] });
  await registerAndOpenHome(page, names.vito);
  // The response to a logout deletes the session cookie, even if a later session has set it.
  const loggedOut = page.waitForResponse('**/api/logout');
  await logOut(page);
  await loggedOut;
  await expect(page).toHaveURL(/\/auth/);
  await registerAndOpenHome(page, names.uma);
  await expectImages(card(page, question));

  await test.step("Uma's vote cannot be sent, and her session ends", async () => {
    monitor.expectNetworkErrors();
    await page.route('**/vote', (route) => route.abort('connectionfailed'));
    await card(page, question).getByRole('button', { name: 'Snow' }).click();
    await expect(card(page, question)).toContainText('Waiting to sync');
    monitor.expectStatus(401, /\/api\//);
    await page.context().clearCookies();
    await page.reload();
    await expect(page.getByText('Log in to send 1 change')).toBeVisible();
  });

  await test.step('Vito logs in on the same device and does not see her vote', async () => {
    let sentChanges = 0;
    await page.unroute('**/vote');
    page.on('request', (request) => {
      if (request.url().endsWith('/vote') || request.headers()['idempotency-key'] !== undefined)
        sentChanges += 1;
    });
    await logIn(page, names.vito);
    await expect(card(page, question).getByRole('button', { name: 'Snow' })).toBeVisible();
    await page.goto('/outbox');
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
    await page.goto('/home');
    await expect(card(page, question)).toContainText('0 votes');
    expect(sentChanges).toBe(0);
  });

  await test.step('Uma logs in again and her vote is sent', async () => {
    await logOut(page);
    await expect(page).toHaveURL(/\/auth/);
    await logIn(page, names.uma);
    await expect(points(page)).toHaveText('12');
    await page.goto('/home');
    await expect(card(page, question)).toContainText('100%');
  });
});
