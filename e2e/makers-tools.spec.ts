import { readFile } from 'node:fs/promises';
import { expect, type Page, type Route } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { voteAsNewUsers } from './testing/crowd.ts';
import { enlargeText, expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import {
  logInAsOwner,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, createPoll, expectImages, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block', viewport: PHONE });

/** Longer than Ask again takes once it has the images. */
const COPIED_WITHIN_MS = 1_000;

/** Unique for each test, since the tests share a server. */
let question = '';
test.beforeEach(() => {
  question = newName('Which sofa for the new flat?');
});

/** Opens the page of the user's own poll, and waits for the chart that only makers see. */
async function openOwnPoll(page: Page, pollId: string) {
  await page.goto(`/poll/${pollId}`);
  await expect(page.getByRole('heading', { name: 'Votes over time' })).toBeVisible();
}

/** Holds the requests for images until `release` is called. */
async function holdImages(page: Page) {
  const requests: Route[] = [];
  await page.route('**/uploads/*', (route) => void requests.push(route));
  return { requests, release: () => Promise.all(requests.splice(0).map((request) => request.continue())) };
}

const createDialog = (page: Page) => page.getByRole('dialog', { name: 'Create Poll' });

test('closing a poll early shows the result and refunds the points for unused votes', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await register(page, newName('mara'));
  const poll = await postPoll(page, question, { captions: ['Mustard', 'Bottle green'] });
  monitor.expectStatus(503, /\/votes-by-hour$/);
  await page.route('**/votes-by-hour', (route) => route.fulfill({ status: 503 }));
  await openOwnPoll(page, poll.id);
  await expect(page.getByText('The chart starts with the second vote.')).toBeVisible();
  await expect(points(page)).toHaveText(/^0/);

  const { page: otherPage } = await newUser();
  await registerAndOpenHome(otherPage, newName('otto'));
  await card(otherPage, question)
    .getByRole('button', { name: /Mustard/ })
    .click();
  await voteAsNewUsers(server, poll.id, 2, 2);
  await expect(page.getByText(/^3 of 10/).first()).toBeVisible();
  await expect(page.getByText('The chart could not be loaded.')).toBeVisible();
  await page.unroute('**/votes-by-hour');
  const chart = page.getByRole('figure', { name: 'Votes over time' });
  await expect(chart.getByRole('img', { name: /^3 votes, most at .*: 3$/ })).toBeVisible();
  // One vote for A and two for B.
  await expect(chart.getByRole('table').getByRole('row').last()).toContainText('12');
  await expectNoViolations(page, 'own poll');

  const dialog = page.getByRole('dialog', { name: 'Close it now?' });
  await test.step('a confirmation can be cancelled', async () => {
    await page.getByRole('button', { name: /^Close early/ }).click();
    await expect(dialog).toContainText('3 of 10 votes are in.');
    await expect(dialog).toContainText('7 points come back');
    await expect(dialog).toContainText('You will have 7');
    await expectNoViolations(page, 'close dialog');
    await dialog.getByRole('button', { name: 'Keep it open' }).click();
    await expect(dialog).toBeHidden();
  });
  await page.getByRole('button', { name: 'Close early 7 unused votes come back as points' }).click();
  // The second click must not send a second call.
  await dialog.getByRole('button', { name: 'Close early' }).dblclick();
  await expect(page.getByText('7 points are back.')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(points(page)).toHaveText(/^7/);
  await expect(page.getByText('Closed early', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Close early/ })).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Ask again/ })).toBeVisible();

  await test.step('other users see the closed poll without a reload', async () => {
    await expect(card(otherPage, question)).toContainText('Closed early');
    await expect(card(otherPage, question)).toContainText('67%');
  });

  await test.step('a visitor of the share link reads that the poll was closed early', async () => {
    const { page: visitorPage } = await newUser();
    await visitorPage.goto(poll.shareUrl ?? '');
    await expect(visitorPage.getByText('Closed early', { exact: true })).toBeVisible();
  });

  await test.step('the administrators’ list says that the poll was closed early', async () => {
    const { page: admin } = await newUser();
    await logInAsOwner(admin, server);
    await admin.goto('/admin?tab=polls');
    await expect(admin.getByRole('listitem').filter({ hasText: question })).toContainText('Closed early');
  });
  await test.step('Activity shows where the points came from', async () => {
    await page.goto('/profile?tab=activity');
    const row = page.getByRole('listitem').filter({ hasText: 'Closed early' });
    await expect(row).toContainText('7 unused votes came back');
    await expect(row).toContainText('+7');
  });
});

test('a poll can be closed from its menu on My Polls, and a retry after a lost response pays no second refund', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('ruth'));
  await createPoll(page, { question, captions: ['Mustard', 'Bottle green'] });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'My Polls' }).click();
  await card(page, question).getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem')).toHaveText([
    'Share',
    'Close early',
    'Ask again',
    'Results as CSV',
    'Delete poll',
  ]);
  await page.getByRole('menuitem', { name: 'Close early' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close it now?' });
  // The poll was paid for on this page.
  await expect(dialog).toContainText('You will have 10');
  monitor.expectNetworkErrors();
  const held = Promise.withResolvers<void>();
  await page.route('**/close', async (route) => {
    await route.fetch();
    await held.promise;
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Close early' }).click();
  await test.step('the dialog stays open while the request runs', async () => {
    const keepButton = dialog.getByRole('button', { name: 'Keep it open' });
    await expect(keepButton).toHaveAttribute('aria-disabled', 'true');
    await keepButton.click({ force: true });
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
  });
  held.resolve();
  await expect(dialog.getByRole('alert')).toContainText(
    /The server cannot be reached\..*may have been closed already\./,
  );
  await page.unroute('**/close');
  await dialog.getByRole('button', { name: 'Close early' }).click();
  await expect(page.getByText('10 points are back.')).toBeVisible();
  await expect(card(page, question)).toContainText('Closed early');
  await expect(points(page)).toHaveText(/^10/);
});

test('closing a poll that was closed in another browser shows that it is closed', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await register(page, newName('sven'));
  const poll = await postPoll(page, question);
  await openOwnPoll(page, poll.id);
  await page.getByRole('button', { name: /^Close early/ }).click();
  const { page: otherPage } = await newUser();
  await otherPage.context().addCookies(await page.context().cookies());
  const closed = await otherPage.request.post(`${server.address}/api/questions/${poll.id}/close`);
  expect(closed.status()).toBe(200);
  monitor.expectStatus(409, /\/close$/);
  const dialog = page.getByRole('dialog', { name: 'Close it now?' });
  await dialog.getByRole('button', { name: 'Close early' }).click();
  await expect(page.getByText('This poll was closed early.')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Closed early', { exact: true })).toBeVisible();
});

test('closing a poll that an administrator has deleted says that it is gone, and not that it was closed', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  // A live update would remove the poll from the page before the click.
  await page.routeWebSocket(/\/ws\?/, () => {});
  await register(page, newName('siri'));
  const poll = await postPoll(page, question);
  await openOwnPoll(page, poll.id);
  await page.getByRole('button', { name: /^Close early/ }).click();
  const { page: adminPage } = await newUser();
  await logInAsOwner(adminPage, server);
  expect((await adminPage.request.delete(`/api/admin/polls/${poll.id}`)).status()).toBe(200);
  monitor.expectStatus(404, /\/api\/questions\//);
  const dialog = page.getByRole('dialog', { name: 'Close it now?' });
  await dialog.getByRole('button', { name: 'Close early' }).click();
  await expect(page.getByRole('heading', { name: 'This poll is gone' })).toBeVisible();
  await expect(page.getByText('It could not be closed')).toBeVisible();
  await expect(page.getByText('It was already closed')).toBeHidden();
  await expect(dialog).toBeHidden();
});

test('the results can be downloaded as CSV from the poll’s page and from its menu', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser();
  await register(page, newName('nora'));
  // In the file, an apostrophe keeps spreadsheets from running the first caption as a formula.
  const poll = await postPoll(page, question, { captions: ['=1+1', 'Bottle, green'] });
  await voteAsNewUsers(server, poll.id, 2, 1);
  await openOwnPoll(page, poll.id);
  const save = async (click: () => Promise<void>) => {
    const download = page.waitForEvent('download');
    await click();
    return download;
  };
  const file = await save(() => page.getByRole('link', { name: /^Results as CSV/ }).click());
  expect(file.suggestedFilename()).toMatch(/^results-which-sofa-for-the-new-flat-\d+\.csv$/);
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain(
    '\uFEFFOption,Caption,Votes,Per cent\r\nA,\'=1+1,2,100\r\nB,"Bottle, green",0,0\r\n',
  );
  expect(text).toMatch(/\r\n\d{4}-\d\d-\d\d \d\d:00,2,0,2\r\n$/);
  const secondDownload = await save(async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Results as CSV' }).click();
  });
  expect(await readFile(await secondDownload.path(), 'utf8')).toBe(text);
});

test('Ask again copies a poll into a new draft, and asks before it replaces another draft', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await register(page, newName('dora'));
  const poll = await postPoll(page, question, { captions: ['Mustard', 'Bottle green'], durationDays: 7 });
  await openOwnPoll(page, poll.id);
  const dialog = createDialog(page);
  const row = page.getByRole('button', { name: /^Ask again/ });
  await expectImages(page.getByRole('article'));
  const { requests, release } = await holdImages(page);
  await row.click();
  await expect(row).toContainText('One moment…');
  await expect(row).toBeDisabled();
  await expect(row).toBeFocused();
  // A request after the release would be held permanently.
  await expect.poll(() => requests.length).toBe(2);
  await release();
  await page.unroute('**/uploads/*');
  await expect(dialog.getByLabel('Question')).toHaveValue(question);
  await expect(dialog.getByLabel('Caption of option A')).toHaveValue('Mustard');
  await expect(dialog.getByLabel('Caption of option B')).toHaveValue('Bottle green');
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await expectImages(dialog);
  await expect(dialog.getByRole('radio', { name: '7 days' })).toBeChecked();
  await dialog.getByLabel('Question').fill('And which carpet?');
  await page.goBack();
  await expect(page.getByRole('heading', { name: question })).toBeVisible();

  const conflict = page.getByRole('dialog', { name: 'You have a draft' });
  await page.getByRole('button', { name: /^Ask again/ }).click();
  await expect(conflict).toContainText('“And which carpet?” has not been posted yet.');
  await expectNoViolations(page, 'draft dialog');
  // Enter must not replace the draft.
  await expect(conflict.getByRole('button', { name: 'Keep the draft' })).toBeFocused();
  await conflict.getByRole('button', { name: 'Keep the draft' }).click();
  await expect(conflict).toBeHidden();
  await page.getByRole('button', { name: /^Ask again/ }).click();
  await conflict.getByRole('button', { name: 'Ask again' }).click();
  await expect(dialog.getByLabel('Question')).toHaveValue(question);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('heading', { name: 'Votes over time' })).toBeVisible();

  // The refund pays for the copy, which is a poll of its own.
  await page.getByRole('button', { name: /^Close early/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close early' }).click();
  await expect(points(page)).toHaveText(/^10/);
  await page.getByRole('button', { name: /^Ask again/ }).click();
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByText('Poll created!')).toBeVisible();
  await page.goto('/my-polls');
  await expect(card(page, question)).toHaveCount(2);
  await expectImages(card(page, question).first());
});

test('Ask again says which image could not be copied', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('mina'));
  const poll = await postPoll(page, question);
  await openOwnPoll(page, poll.id);
  monitor.expectStatus(404, /\/uploads\//);
  await page.route(
    ({ pathname }) => pathname === poll.option1Image,
    (route) => route.fulfill({ status: 404 }),
  );
  await page.getByRole('button', { name: /^Ask again/ }).click();
  const dialog = createDialog(page);
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await expect(dialog.getByRole('alert')).toHaveText(
    'A: This image is not on this device. Please choose it again.',
  );
});

test('Ask again replaces no draft that was typed in the meantime, and opens no dialog after the user has left the page', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await register(page, newName('ines'));
  const poll = await postPoll(page, question);
  await openOwnPoll(page, poll.id);
  // The refund pays for another poll; without it, the create dialog could not be opened.
  await page.getByRole('button', { name: /^Close early/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close early' }).click();
  await expect(points(page)).toHaveText(/^10/);
  await page.goto('/my-polls');
  await expectImages(card(page, question));
  const { requests, release: releaseImages } = await holdImages(page);
  async function askAgain() {
    await card(page, question).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Ask again' }).click();
    await expect(page.getByRole('menuitem', { name: 'One moment…' })).toBeDisabled();
    await expect.poll(() => requests.length).toBe(2);
  }

  await askAgain();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = createDialog(page);
  await dialog.getByLabel('Question').fill('And which carpet?');
  // Back keeps the draft.
  await page.goBack();
  await expect(dialog).toBeHidden();
  await releaseImages();
  const conflict = page.getByRole('dialog', { name: 'You have a draft' });
  await expect(conflict).toContainText('“And which carpet?” has not been posted yet.');
  await expect(page.getByRole('menu')).toBeHidden();
  await conflict.getByRole('button', { name: 'Ask again' }).click();
  await expect(dialog.getByLabel('Question')).toHaveValue(question);
  await expectImages(dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();

  await askAgain();
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page.getByRole('heading', { name: 'Votes over time' })).toBeVisible();
  await releaseImages();
  await page.waitForTimeout(COPIED_WITHIN_MS);
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`/poll/${poll.id}`);
});

test('offline, Ask again works with the images, while closing and the download need a connection', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await register(page, newName('gita'));
  const poll = await postPoll(page, question, { captions: ['Mustard', 'Bottle green'] });
  await voteAsNewUsers(server, poll.id, 2, 1);
  await page.goto('/my-polls');
  await waitForServiceWorker(page);
  // The service worker caches what is shown after this reload.
  await page.reload();
  await expectImages(card(page, question));
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await card(page, question).getByRole('link', { name: question }).click();
  await expect(page.getByText('The chart needs a connection.')).toBeVisible();
  for (const name of [/^Close early/, /^Results as CSV/]) {
    const row = page.getByRole('button', { name });
    await expect(row).toContainText('Needs a connection');
    await expect(row).toBeDisabled();
  }
  await page.getByRole('button', { name: /^Ask again/ }).click();
  await expect(createDialog(page).getByLabel('Question')).toHaveValue(question);
  await expect(createDialog(page).getByLabel('Replace image A')).toBeAttached();
  await expectImages(createDialog(page));
});

test('the maker’s tools fit a small screen with text at 200%', async ({ newUser, server }) => {
  const { page } = await newUser({ viewport: SMALLEST });
  await enlargeText(page);
  await register(page, newName('lena'));
  const poll = await postPoll(page, question);
  await voteAsNewUsers(server, poll.id, 2, 1);
  await openOwnPoll(page, poll.id);
  await expect(page.getByRole('img', { name: /^2 votes/ })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await page.getByRole('button', { name: /^Close early/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoHorizontalScroll(page);
});
