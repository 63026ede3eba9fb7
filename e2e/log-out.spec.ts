import { expect, type Locator, type Page } from '@playwright/test';
import type { Poll } from '#shared/polls/schema.ts';
import { readQueue } from './testing/device-db.ts';
import type { ErrorMonitor } from './testing/error-monitor.ts';
import {
  createPollWithoutPoints,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';
import { card, expectImages, logIn, logOut, newName, points } from './testing/user-actions.ts';

type Voter = {
  page: Page;
  monitor: ErrorMonitor;
  name: string;
  userId: number;
  poll: Poll;
  votes(): Promise<number>;
};

const test = base.extend<{ voter: Voter }>({
  /** A user whose feed shows another user's poll. */
  voter: async ({ newUser }, use) => {
    const { page: maker } = await newUser();
    const { page, monitor } = await newUser();
    await register(maker, newName('aino'));
    const poll = await postPoll(maker, newName('Leave'));
    const name = newName('bela');
    const { id: userId } = await registerAndOpenHome(page, name);
    await expectImages(card(page, poll.question));
    await waitForServiceWorker(page);
    monitor.expectNetworkErrors();
    const votes = async () =>
      (await (await maker.request.get(`/api/questions/${poll.id}`)).json()).votesCount;
    await use({ page, monitor, name, userId, poll, votes });
  },
});

async function voteOffline({ page, poll }: Voter): Promise<void> {
  await page.context().setOffline(true);
  await card(page, poll.question).getByRole('button', { name: 'That' }).click();
  await expect(card(page, poll.question)).toContainText('Waiting to sync');
}

async function openLogoutDialog(page: Page): Promise<Locator> {
  await logOut(page);
  const dialog = page.getByRole('dialog', { name: 'Log out with 1 change waiting?' });
  await expect(dialog).toBeVisible();
  return dialog;
}

test('“Send, then log out” waits for the network, sends the change and then logs out', {
  tag: '@core',
}, async ({ voter }) => {
  const { page, votes } = voter;
  await voteOffline(voter);
  const dialog = await openLogoutDialog(page);
  await dialog.getByRole('button', { name: 'Send, then log out' }).click();
  await expect(dialog).toContainText('You are offline.');
  expect(await votes()).toBe(0);
  await page.context().setOffline(false);
  await expect(page).toHaveURL(/\/auth/);
  await expect(page.getByText('Logged out', { exact: true })).toBeVisible();
  expect(await votes()).toBe(1);
});

test('“Keep for this account” logs out without sending the change, which is sent after the next login', async ({
  voter,
}) => {
  const { page, name, votes } = voter;
  await voteOffline(voter);
  const dialog = await openLogoutDialog(page);
  const calls: string[] = [];
  page.context().on('requestfinished', (request) => {
    const [, call] = /\/(login|vote)$/.exec(request.url()) ?? [];
    if (call !== undefined) calls.push(call);
  });
  await dialog.getByRole('button', { name: 'Keep for this account' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect(
    page.getByText(
      'You have been successfully logged out. 1 change is kept on this device and sent when you log in again.',
    ),
  ).toBeVisible();
  await page.context().setOffline(false);
  expect(await votes()).toBe(0);
  await logIn(page, name);
  // Ten for the sign-up, one for the login, one for the vote.
  await expect(points(page)).toHaveText('12');
  expect(await votes()).toBe(1);
  expect(calls).toEqual(['login', 'vote']);
});

test('“Send, then log out” does not log out if the change is refused', async ({ voter, newUser }) => {
  const { page, monitor, name } = voter;
  monitor.expectStatus(402, /\/api\/questions$/);
  const refused = newName('Refused');
  await createPollWithoutPoints(page, name, refused, newUser);
  await (await openLogoutDialog(page)).getByRole('button', { name: 'Send, then log out' }).click();
  await page.context().setOffline(false);
  const dialog = page.getByRole('dialog', { name: 'Log out?' });
  await expect(dialog).toContainText('1 change was refused.');
  await dialog.getByRole('link', { name: 'Review in the outbox' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: refused })).toContainText('Poll not posted');
});

test('“Discard 1” deletes the waiting change, but not a refused poll', async ({ voter, newUser }) => {
  const { page, monitor, name, userId, poll, votes } = voter;
  monitor.expectStatus(402, /\/api\/questions$/);
  const refused = newName('Refused');
  await createPollWithoutPoints(page, name, refused, newUser);
  await page.context().setOffline(false);
  await expect(page.getByText('Failed to create poll')).toBeVisible();

  await voteOffline(voter);
  const dialog = await openLogoutDialog(page);
  await dialog.getByRole('button', { name: 'Discard 1' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect(page.getByText('You have been successfully logged out.', { exact: true })).toBeVisible();
  await page.context().setOffline(false);
  await logIn(page, name);
  await expect(page).toHaveURL('/');
  await page.goto('/home');
  await expect(card(page, poll.question).getByRole('button', { name: 'That' })).toBeVisible();
  expect((await readQueue(page, userId)).ops).toMatchObject([{ type: 'createPoll', state: 'rejected' }]);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Outbox' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: refused })).toContainText('Poll not posted');
  expect(await votes()).toBe(0);
});

test('once the change has been sent, the open dialog only asks for the logout', async ({ voter }) => {
  const { page, votes } = voter;
  await voteOffline(voter);
  await openLogoutDialog(page);
  await page.context().setOffline(false);
  const dialog = page.getByRole('dialog', { name: 'Log out?' });
  await expect(dialog).toContainText('Your changes have reached the server.');
  expect(await votes()).toBe(1);
  await expect(dialog.getByRole('button')).toHaveText(['Log out', 'Cancel']);
  await dialog.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByText('You have been successfully logged out.', { exact: true })).toBeVisible();
});

test('after a logout in another tab, the dialog does not open again at the next login', async ({ voter }) => {
  const { page, name } = voter;
  await voteOffline(voter);
  const dialog = await openLogoutDialog(page);
  const otherTab = await page.context().newPage();
  await otherTab.goto('/home');
  const otherDialog = await openLogoutDialog(otherTab);
  await otherDialog.getByRole('button', { name: 'Discard 1' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await page.context().setOffline(false);
  await logIn(page, name);
  await expect(page).toHaveURL('/');
  // The menu renders the dialog, which would cover the button if it were open.
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  await expect(dialog).toBeHidden();
});
