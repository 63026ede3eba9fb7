import { expect } from '@playwright/test';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import { PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { respondWithError } from './testing/fake-feed.ts';
import { DESKTOP } from './testing/screens.ts';
import { ensurePolls, logInAsOwner, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('tables have ten rows per page, and the pager leads to the other pages', async ({ newUser, server }) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  await ensurePolls(page, ADMIN_PAGE_SIZE + 2);
  await page.goto('/admin?tab=polls');
  const rows = page.getByRole('rowheader');
  const pager = page.getByRole('navigation', { name: 'Pages of polls' });
  const expectPage = async (number: number, range: RegExp) => {
    await expect(pager).toContainText(range);
    await expect(pager.getByRole('button', { name: `Page ${number}` })).toHaveAttribute(
      'aria-current',
      'page',
    );
    const { polls } = await (await page.request.get(`/api/admin/polls?page=${number}`)).json();
    await expect(rows).toHaveText(polls.map(({ question }: { question: string }) => question));
  };
  await expectPage(1, /^1 to 10 of \d+/);
  await expect(rows).toHaveCount(10);
  await pager.getByRole('button', { name: 'Next page' }).click();
  await expectPage(2, /^11 to \d+ of \d+/);
  await expect(pager.getByRole('button', { name: 'Next page' })).toBeFocused();
  await pager.getByRole('button', { name: 'Page 1' }).click();
  await expectPage(1, /^1 to 10 of \d+/);
});

test('keys decide about no report while the list of reports cannot be reloaded', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  const { page: reporter } = await newUser();
  await register(reporter, newName('reporter'));
  const questions = ['Cat or dog?', 'Dog or bird?'].map(newName);
  for (const question of questions) {
    const { page: maker } = await newUser();
    await register(maker, newName('maker'));
    const { id } = await postPoll(maker, question);
    await reporter.request.post(`/api/questions/${id}/report`, { data: { reason: 'spam' } });
  }
  await page.goto('/admin?tab=reports');
  await page
    .getByRole('listitem')
    .filter({ hasText: questions[0] ?? '' })
    .focus();
  const decisions: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/admin\/reports\/./.test(request.url())) decisions.push(request.url());
  });
  const listUrl = /\/api\/admin\/reports\?/;
  monitor.expectStatus(500, listUrl);
  await page.route(listUrl, respondWithError);
  // The key to keep a reported poll.
  await page.keyboard.press('k');
  await expect(page.getByText('Failed to fetch reports')).toBeVisible();
  expect(decisions).toHaveLength(1);
  // The key to remove a reported poll.
  await page.keyboard.press('r');
  const retry = page.waitForRequest(listUrl);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await retry;
  expect(decisions).toHaveLength(1);
});

test('the list of polls says which ones are hidden', async ({ newUser, server }) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await register(page, newName('maker'));
  const question = newName('Shown or hidden?');
  await postPoll(page, question);
  await logInAsOwner(page, server);
  await page.route('**/api/admin/polls?*', async (route) => {
    const response = await route.fetch();
    const { polls, ...rest } = await response.json();
    const hidden = polls.map((poll: Poll) => ({ ...poll, hidden: true, active: false, status: 'inactive' }));
    await route.fulfill({ response, json: { polls: hidden, ...rest } });
  });
  await page.goto('/admin?tab=polls');
  await expect(page.getByRole('row').filter({ hasText: question })).toContainText('Hidden');
});

test('a missing image of a reported poll falls back to a placeholder', async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await register(page, newName('maker'));
  const question = newName('Here or gone?');
  const { id } = await postPoll(page, question);
  await register(page, newName('reporter'));
  await page.request.post(`/api/questions/${id}/report`, { data: { reason: 'spam' } });
  monitor.expectStatus(404, /\/uploads\//);
  await page.route('**/uploads/**', (route) => route.fulfill({ status: 404 }));
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=reports');
  const images = page.getByRole('listitem').filter({ hasText: question }).getByRole('img');
  await expect(images.first()).toHaveAttribute('src', PLACEHOLDER_IMAGES[0]);
  await expect(images.last()).toHaveAttribute('src', PLACEHOLDER_IMAGES[1]);
});
