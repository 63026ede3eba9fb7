import { expect, type Locator, type Page } from '@playwright/test';
import { DESKTOP, PHONE } from './testing/screens.ts';
import { logInAsOwner, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text);
}

/** Chooses an item in the actions menu of a row. */
async function chooseAction(row: Locator, item: string): Promise<void> {
  await row.getByRole('button', { name: 'Actions for' }).click();
  await row.getByRole('menuitem', { name: item }).click();
}

test('suspending a user ends their session, and the user can be unsuspended', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const name = newName('spam_king');
  const { page: user } = await newUser();
  const { id } = await register(user, name);
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  await page.goto('/admin');
  await expect(page.getByRole('tab', { name: 'Users' })).toHaveAttribute('aria-selected', 'true');
  await search(page, 'owner@');
  await expect(page.getByRole('row', { name: 'owner' })).toContainText('Admin');
  await expect(
    page.getByRole('row', { name: 'owner' }).getByRole('button', { name: 'this account is protected' }),
  ).toBeDisabled();

  await search(page, name);
  const row = page.getByRole('row', { name: `${name}@example.org` });
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(row).toContainText('Unverified');
  // The points of a new account.
  await expect(row.getByRole('cell', { name: '10', exact: true })).toBeVisible();
  await chooseAction(row, 'Suspend');
  await expect(page.getByText(`${name} is suspended.`)).toBeVisible();
  await expect(row).toContainText('Suspended');
  expect((await user.request.get('/api/user')).status()).toBe(401);
  await chooseAction(row, 'Unsuspend');
  await expect(page.getByText(`${name} is no longer suspended.`)).toBeVisible();
  await expect(row).toContainText('Unverified');

  await test.step('a change whose response is lost is shown nevertheless', async () => {
    monitor.expectStatus(502, /\/suspend$/);
    await page.route(
      '**/suspend',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 502, body: '' });
      },
      { times: 1 },
    );
    await chooseAction(row, 'Suspend');
    await expect(page.getByText('Failed to suspend user', { exact: true })).toBeVisible();
    await expect(row).toContainText('Suspended');
  });

  await test.step('a user who has been deleted in the meantime is removed from the list', async () => {
    monitor.expectStatus(404, /\/unsuspend$/);
    expect((await page.request.delete(`/api/admin/users/${id}`)).status()).toBe(200);
    await chooseAction(row, 'Unsuspend');
    await expect(page.getByText('User not found.')).toBeVisible();
    await expect(row).toHaveCount(0);
  });
});

test('on a phone, deleting a user needs a confirmation, and a failure is shown with its reason', async ({
  newUser,
  server,
}) => {
  const name = newName('gone');
  const { page: user } = await newUser();
  await register(user, name);
  const { page, monitor } = await newUser({ viewport: PHONE });
  await logInAsOwner(page, server);
  await page.goto('/admin');
  await search(page, `${name}x`);
  await expect(page.getByRole('heading', { name: `Nothing found for “${name}x”` })).toBeVisible();
  await search(page, name);
  const card = page.getByRole('listitem').filter({ hasText: `${name}@example.org` });
  await chooseAction(card, 'Delete user');
  const dialog = page.getByRole('dialog', { name: `Delete ${name}?` });
  await expect(dialog).toContainText('Votes are kept without a name');
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await expect(card.getByRole('button', { name: 'Actions for' })).toBeFocused();

  monitor.expectStatus(502, /\/api\/admin\/users\/\d+$/);
  await page.route('**/api/admin/users/*', (route) => route.fulfill({ status: 502, body: '' }), { times: 1 });
  await chooseAction(card, 'Delete user');
  await dialog.getByRole('button', { name: 'Delete user' }).click();
  await expect(page.getByText('Failed to delete user', { exact: true })).toBeVisible();
  await expect(page.getByText('Failed to delete user. Status: 502')).toBeVisible();
  await expect(dialog).toBeHidden();

  await chooseAction(card, 'Delete user');
  // The previous message would cover the dialog.
  await expect(page.getByText('Failed to delete user', { exact: true })).toBeHidden();
  await dialog.getByRole('button', { name: 'Delete user' }).click();
  await expect(page.getByText('The user was deleted.')).toBeVisible();
  await expect(card).toHaveCount(0);
  await expect(page.getByRole('searchbox')).toHaveValue(name);
  expect((await user.request.get('/api/user')).status()).toBe(401);
});

test('a poll can be deactivated and activated by mouse, and deleted from the menu by keyboard', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const question = newName('Which one goes?');
  const { page: maker } = await newUser();
  const name = newName('maker');
  await register(maker, name);
  const { id } = await postPoll(maker, question);
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  monitor.expectStatus(500, /\/api\/admin\/polls/);
  await page.route('**/api/admin/polls?*', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 });
  await page.goto('/admin');
  await page.getByRole('tab', { name: 'Users' }).press('ArrowRight');
  await expect(page).toHaveURL('/admin?tab=polls');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to fetch polls' })).toBeVisible();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('table', { name: 'Polls' })).toBeVisible();

  await search(page, question);
  const row = page.getByRole('row', { name: question });
  await expect(row).toContainText(name);
  await expect(row).toContainText('Active');
  await chooseAction(row, 'Deactivate');
  await expect(page.getByText('The poll is inactive.')).toBeVisible();
  await expect(row).toContainText('Inactive');
  await chooseAction(row, 'Activate');
  await expect(page.getByText('The poll is active.')).toBeVisible();

  const button = row.getByRole('button', { name: 'Actions for' });
  await button.focus();
  await page.keyboard.press('Enter');
  const openItem = row.getByRole('menuitem', { name: 'Open poll' });
  await expect(openItem).toBeFocused();
  await expect(openItem).toHaveAttribute('href', `/poll/${id}`);
  await expect(openItem).toHaveAttribute('target', '_blank');
  await expect(openItem).toHaveAttribute('rel', 'noopener');
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(openItem).toBeFocused();
  const deleteItem = row.getByRole('menuitem', { name: 'Delete poll' });
  await test.step('Arrow Up goes from the first item to the last, and also from the menu itself', async () => {
    await page.keyboard.press('ArrowUp');
    await expect(deleteItem).toBeFocused();
    await row.getByRole('menu').focus();
    await expect(deleteItem).not.toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(deleteItem).toBeFocused();
  });
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete poll' }).click();
  await expect(page.getByText('The poll was deleted.')).toBeVisible();
  await expect(row).toHaveCount(0);
  // The button that had the focus was removed with its row.
  await expect(page.getByRole('tabpanel').locator(':focus')).toHaveCount(1);
  expect((await maker.request.get(`/api/questions/${id}`)).status()).toBe(404);

  await page.goBack();
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible();
});

test('a failed deletion of a poll shows the reason, and analytics count only successful actions', async ({
  newUser,
  server,
}) => {
  const question = newName('Counted or not?');
  const { page: maker } = await newUser();
  await register(maker, newName('maker'));
  const { id } = await postPoll(maker, question);
  const { page, monitor } = await newUser();
  await logInAsOwner(page, server);
  const events: { name: string; url: string; props?: unknown }[] = [];
  await page.route('**/api/analytics', (route) =>
    route.fulfill({ json: { endpoint: `${server.address}/counter` } }),
  );
  await page.route('**/counter', (route) => {
    events.push(JSON.parse(route.request().postData() ?? ''));
    return route.fulfill({ status: 202 });
  });
  await page.goto('/admin?tab=polls');
  await search(page, question);
  const card = page.getByRole('list', { name: 'Polls' }).getByRole('listitem');
  await expect(card).toHaveCount(1);
  await chooseAction(card, 'Deactivate');
  await expect(page.getByText('The poll is inactive.')).toBeVisible();
  await expect
    .poll(() => events.filter(({ name }) => name === 'Deactivate Poll'))
    .toMatchObject([{ url: `${server.address}/admin`, props: { category: 'Admin' } }]);

  const dialog = page.getByRole('dialog');
  monitor.expectStatus(502, /\/api\/admin\/polls\/[^/]+$/);
  await page.route('**/api/admin/polls/*', (route) => route.fulfill({ status: 502, body: '' }), { times: 1 });
  await chooseAction(card, 'Delete poll');
  await dialog.getByRole('button', { name: 'Delete poll' }).click();
  await expect(page.getByText('Failed to delete poll. Status: 502')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Actions for' })).toBeFocused();

  await chooseAction(card, 'Delete poll');
  await expect(dialog).toBeVisible();
  monitor.expectStatus(404, /\/api\/admin\/polls\/[^/]+$/);
  await page.request.delete(`/api/admin/polls/${id}`);
  await dialog.getByRole('button', { name: 'Delete poll' }).click();
  await expect(page.getByText('Failed to delete poll', { exact: true })).toBeVisible();
  await expect(page.getByText('Poll not found.')).toBeVisible();
  expect(events.filter(({ name }) => name === 'Delete Poll')).toEqual([]);
});
