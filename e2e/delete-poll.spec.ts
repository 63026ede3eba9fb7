import { expect } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { PHONE } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block', viewport: PHONE });

/** Unique for each test, since the tests share a server. */
let question = '';
test.beforeEach(() => {
  question = newName('Which photo of me?');
});

test('makers can delete their polls, which disappear for everyone, and get back the points for unused votes', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('mara'));
  const poll = await postPoll(page, question);
  const { page: otherPage, monitor: otherMonitor } = await newUser();
  await registerAndOpenHome(otherPage, newName('otto'));
  await card(otherPage, question).getByRole('button', { name: /This/ }).click();

  await page.goto(`/poll/${poll.id}`);
  await expect(page.getByText(/^1 of 10/).first()).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Delete this poll?' });
  await test.step('the confirmation can be cancelled', async () => {
    await page.getByRole('button', { name: /^Delete poll/ }).click();
    await expect(dialog).toContainText('9 points come back');
    await expectNoViolations(page, 'delete dialog');
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await expect(dialog).toBeHidden();
  });
  monitor.expectStatus(404, /\/api\/questions\//);
  await page.getByRole('button', { name: /^Delete poll/ }).click();
  await dialog.getByRole('button', { name: 'Delete poll' }).dblclick();
  await expect(page.getByText('9 points are back.')).toBeVisible();
  await expect(page).toHaveURL(/\/my-polls$/);
  await expect(page.getByText('No polls created yet')).toBeVisible();
  await expect(points(page)).toHaveText(/^9/);

  await expect(card(otherPage, question)).toHaveCount(0);
  otherMonitor.expectStatus(404, /\/s\//);
  await otherPage.goto(poll.shareUrl ?? '');
  await expect(otherPage.getByText(question)).toHaveCount(0);
});

test('a poll is deleted from its menu on My Polls, also if the response to the first attempt is lost', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  // A live update would remove the poll, and the dialog with it.
  await page.routeWebSocket(/\/ws\?/, () => {});
  await register(page, newName('ruth'));
  const poll = await postPoll(page, question);
  await page.goto('/my-polls');
  await card(page, question).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this poll?' });
  monitor.expectNetworkErrors();
  monitor.expectStatus(404, /\/api\/questions\//);
  await page.route(`**/api/questions/${poll.id}`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Delete poll' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The poll may have been closed or deleted already.');
  await page.unroute(`**/api/questions/${poll.id}`);
  await dialog.getByRole('button', { name: 'Delete poll' }).click();
  await expect(page.getByText('Deleted', { exact: true })).toBeVisible();
  await expect(page.getByText('10 points are back.')).toBeVisible();
  await expect(card(page, question)).toHaveCount(0);
  await expect(points(page)).toHaveText(/^10/);
});

test('deleting a poll needs a connection', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('vera'));
  const poll = await postPoll(page, question);
  await page.goto(`/poll/${poll.id}`);
  await expect(page.getByRole('button', { name: /^Delete poll/ })).toBeEnabled();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  const row = page.getByRole('button', { name: /^Delete poll/ });
  await expect(row).toBeDisabled();
  await expect(row).toContainText('Needs a connection');
});
