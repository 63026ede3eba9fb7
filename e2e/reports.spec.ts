import { expect, type Locator, type Page } from '@playwright/test';
import {
  copyOfPoll,
  createTemplatePoll,
  FEED_URL,
  feedPage,
  respondWith,
  TRENDING_URL,
} from './testing/fake-feed.ts';
import { DESKTOP } from './testing/screens.ts';
import {
  logInAsOwner,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, expectImages, newName } from './testing/user-actions.ts';

/** Chooses an item in the menu of a poll's card. */
async function chooseAction(page: Page, question: string, item: string): Promise<void> {
  await card(page, question).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function report(page: Page, question: string, reason: string): Promise<void> {
  await chooseAction(page, question, 'Report');
  const dialog = page.getByRole('dialog', { name: 'Report this poll' });
  await expect(dialog.getByRole('button', { name: 'Report', exact: true })).toBeDisabled();
  await dialog.getByRole('radio', { name: reason }).check();
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(dialog).toBeHidden();
}

const feedQuestions = async (page: Page): Promise<string[]> => {
  const { data } = await (await page.request.get('/api/questions?limit=100')).json();
  return data.map(({ question }: { question: string }) => question);
};

test('a report and a block hide polls, even offline, and can be undone', { tag: '@core' }, async ({
  newUser,
}) => {
  const [spamQuestion, loudQuestion, calmQuestion] = [
    'Which trainers? Link in my profile',
    'Loud or louder?',
    'Juice or water?',
  ];
  const visibleQuestions = async (viewer: Page) =>
    (await feedQuestions(viewer)).filter((question) =>
      [spamQuestion, loudQuestion, calmQuestion].includes(question),
    );
  const { page: maker } = await newUser();
  await register(maker, newName('spam-king'));
  await postPoll(maker, spamQuestion);
  const loudName = newName('loud');
  const { page: loudUser } = await newUser();
  await register(loudUser, loudName);
  await postPoll(loudUser, loudQuestion);
  const { page: calmUser } = await newUser();
  await register(calmUser, newName('calm'));
  await postPoll(calmUser, calmQuestion);

  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await registerAndOpenHome(page, newName('nora'));
  await expectImages(card(page, calmQuestion));
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);

  await test.step('the card shows the report and offers Undo', async () => {
    await report(page, spamQuestion, 'Spam');
    const reported = card(page, 'Reported as spam');
    await expect(reported).toContainText('You will not see it again.');
    await expect(reported).toContainText('Waiting to sync');
    await expect(card(page, spamQuestion)).toHaveCount(0);
    await reported.getByRole('button', { name: 'Undo' }).click();
    await expect(card(page, spamQuestion)).toBeVisible();
    await report(page, spamQuestion, 'Spam');
    await chooseAction(page, loudQuestion, `Block ${loudName}`);
    await expect(card(page, `${loudName} is blocked`)).toContainText(
      'Blocked people are listed in Settings.',
    );
  });

  await test.step('after a reload both polls are hidden, and the outbox lists both changes', async () => {
    await page.reload();
    await expect(card(page, calmQuestion)).toBeVisible();
    await expect(card(page, spamQuestion)).toHaveCount(0);
    await expect(card(page, loudQuestion)).toHaveCount(0);
    await page.goto('/outbox');
    await expect(page.getByText('Your report')).toBeVisible();
    await expect(page.getByRole('heading', { name: loudName })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Waiting to sync · 2' })).toBeVisible();
  });

  await test.step('both changes are sent once the device is online again, and the server leaves both polls out', async () => {
    await page.context().setOffline(false);
    await expect(page.getByText('Nothing is waiting')).toBeVisible({ timeout: 30_000 });
    expect(await visibleQuestions(page)).toEqual([calmQuestion]);
    expect(await visibleQuestions(calmUser)).toEqual([calmQuestion, loudQuestion, spamQuestion]);
  });

  await test.step('the maker can be unblocked in Settings', async () => {
    await page.goto('/settings');
    await page.getByRole('button', { name: `Unblock ${loudName}` }).click();
    await expect(page.getByText('You have not blocked anyone.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Blocked people' }).locator(':focus')).toHaveCount(1);
    await expect(async () =>
      expect(await visibleQuestions(page)).toEqual([calmQuestion, loudQuestion]),
    ).toPass();
    await page.goto('/home');
    await expect(card(page, loudQuestion)).toBeVisible();
  });
});

test('a user can report a poll on its page by keyboard, with a reason in their own words', async ({
  newUser,
}) => {
  const question = 'Mine or yours, and which of the two would you give away?';
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  await register(maker, newName('mara'));
  const { id } = await postPoll(maker, question);
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('nils'));
  await page.goto(`/poll/${id}`);
  await page.getByRole('button', { name: 'More actions' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Share' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Report this poll' });
  expect(await dialog.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth)).toBe(0);
  await dialog.getByRole('radio', { name: 'Something else' }).check();
  await dialog.getByLabel('What is wrong with it?').fill('That is my sofa.');
  await expect(dialog).toContainText('16 / 500');
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Reported', exact: true })).toBeVisible();
  await test.step('the focus moves to the next button while the maker is blocked and unblocked', async () => {
    await page.getByRole('button', { name: 'Block maker' }).click();
    await expect(page.getByRole('button', { name: 'Unblock' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
  });
  await test.step('after Undo the focus moves to the menu of the poll', async () => {
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: question })).toBeVisible();
    await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused();
  });

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
  await dialog.getByRole('link', { name: 'The rules' }).click();
  await expect(page.getByRole('heading', { name: 'The rules', level: 1 })).toBeVisible();

  await test.step('the user’s own poll cannot be reported', async () => {
    await maker.goto('/my-polls');
    await card(maker, question).getByRole('button', { name: 'More actions' }).click();
    await expect(maker.getByRole('menuitem')).toHaveText([
      'Share',
      'Close early',
      'Ask again',
      'Results as CSV',
      'Delete poll',
    ]);
  });
});

/**
 * Opens /home as a new user, with two polls of one maker that the server does not know. Reports of them wait, since their
 * requests are aborted.
 */
async function openTwoPolls(newUser: NewUser, name: string): Promise<Page> {
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1), copyOfPoll(poll, 2)])));
  await page.route(TRENDING_URL, respondWith([]));
  await registerAndOpenHome(page, newName(name));
  await expectImages(card(page, 'Number 2?'));
  monitor.expectNetworkErrors();
  await page.route(/\/report$/, (route) => route.abort());
  return page;
}

test('after Block maker the focus stays on the card, even if another card of the maker also shows Unblock', async ({
  newUser,
}) => {
  const page = await openTwoPolls(newUser, 'nils');
  for (const question of ['Number 1?', 'Number 2?']) await report(page, question, 'Spam');
  await page.getByRole('button', { name: 'Block maker' }).nth(1).click();
  const unblock = page.getByRole('button', { name: 'Unblock' });
  await expect(unblock).toHaveCount(2);
  await expect(unblock.nth(1)).toBeFocused();
});

test('after Block maker the focus stays on the card, even if the menu of another poll of the maker was used before', async ({
  newUser,
}) => {
  const page = await openTwoPolls(newUser, 'nele');
  for (const question of ['Number 1?', 'Number 2?']) await report(page, question, 'Spam');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await card(page, 'Number 1?').getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await page.getByRole('button', { name: 'Block maker' }).click();
  const unblock = page.getByRole('button', { name: 'Unblock' });
  await expect(unblock).toHaveCount(2);
  await expect(unblock.nth(1)).toBeFocused();
});

test('Undo takes the focus after a report, but not when the Polls tab is opened again', async ({
  newUser,
}) => {
  const page = await openTwoPolls(newUser, 'nora');
  await report(page, 'Number 2?', 'Spam');
  const undo = page.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeFocused();
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('link', { name: 'Explore' }).click();
  await expect(undo).toHaveCount(0);
  await navigation.getByRole('link', { name: 'Polls' }).click();
  await expect(undo).toBeVisible();
  await expect(page.locator('#main')).toBeFocused();

  await test.step('after Undo the focus moves to the menu of the poll', async () => {
    await undo.focus();
    await page.keyboard.press('Enter');
    await expect(card(page, 'Number 2?').getByRole('button', { name: 'More actions' })).toBeFocused();
  });
});

/** Reports a poll as new users, one for each reason. Their emails are not verified, so the poll is not hidden. */
async function reportAsNewUsers(newUser: NewUser, pollId: string, reasons: readonly string[]): Promise<void> {
  for (const reason of reasons) {
    const { page } = await newUser();
    await register(page, newName('reporter'));
    const data = reason === 'other' ? { reason, text: 'Same shop link everywhere.' } : { reason };
    const response = await page.request.post(`/api/questions/${pollId}/report`, { data });
    expect(response.status()).toBe(200);
    await page.close();
  }
}

test('an administrator decides on reported polls by keyboard, and the maker sees which rule was broken', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const [worstQuestion, otherQuestion] = ['Which trainers? Link below', 'Who wins the fight?'];
  const makerName = newName('spam-king');
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  await register(maker, makerName);
  const { id: worstId } = await postPoll(maker, worstQuestion);
  const { page: otherPage } = await newUser();
  const otherName = newName('k9');
  await register(otherPage, otherName);
  const { id: otherId } = await postPoll(otherPage, otherQuestion);
  await reportAsNewUsers(newUser, worstId, ['spam', 'spam', 'other']);
  await reportAsNewUsers(newUser, otherId, ['violence']);

  const { page } = await newUser({ viewport: DESKTOP, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await page.goto('/admin');
  await page.getByRole('tab', { name: /^Reports \d+ open$/ }).click();
  const rows = page.getByRole('tabpanel', { name: 'Open' }).getByRole('listitem');
  const worstRow = rows.filter({ hasText: worstQuestion });
  const otherRow = rows.filter({ hasText: otherQuestion });
  await expect(rows.first()).toContainText(worstQuestion);
  await expect(rows.first()).toContainText('Spam 2');
  await expect(rows.first()).toContainText('“Same shop link everywhere.”');
  await expect(rows.first()).toContainText('Still shown');
  await expect(rows.first().getByRole('link')).toHaveAttribute('target', '_blank');
  await otherRow.getByRole('button', { name: 'Show images' }).click();
  await expect(otherRow.getByRole('button', { name: 'Show images' })).toBeHidden();

  await test.step('a poll that was kept, and then reported by another user, is listed again after a reload of the list', async () => {
    await reportAsNewUsers(newUser, worstId, ['nudity']);
    await otherRow.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(otherRow).toHaveCount(0);
    await expect(worstRow.getByRole('button', { name: 'Show images' })).toBeVisible();
    // The clock is set back by an hour.
    await page.evaluate('{ const { now } = Date; Date.now = () => now() - 3_600_000; }');
    await reportAsNewUsers(newUser, otherId, ['violence']);
    await worstRow.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(worstRow).toHaveCount(1);
    await expect(otherRow).toHaveCount(1);
    // The pointer is still where it clicked Undo, and a toast under the pointer stays.
    await page.mouse.move(0, 0);
    await page.getByText('Undone').waitFor({ state: 'hidden' });
  });

  await test.step('R removes the first poll, Undo restores it, and the button removes it again', async () => {
    await worstRow.focus();
    await page.keyboard.press('ArrowDown');
    await expect(worstRow).not.toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(worstRow).toBeFocused();
    await page.keyboard.press('r');
    await expect(page.getByText('Poll removed')).toBeVisible();
    await expect(worstRow).toHaveCount(0);
    expect((await maker.request.get(`/api/questions/${worstId}`)).status()).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Undone')).toBeVisible();
    await expect(worstRow).toHaveCount(1);
    expect((await maker.request.get(`/api/questions/${worstId}`)).status()).toBe(200);
    await worstRow.getByRole('button', { name: 'Remove poll' }).click();
    await expect(worstRow).toHaveCount(0);
  });

  await test.step('S asks for confirmation and suspends the maker of the second poll', async () => {
    await otherRow.focus();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: `Suspend ${otherName}?` });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(otherRow).toHaveCount(1);
    await otherRow.focus();
    await page.keyboard.press('s');
    await dialog.getByRole('button', { name: `Suspend ${otherName}` }).click();
    await expect(page.getByText(`${otherName} is suspended`)).toBeVisible();
    await expect(otherRow).toHaveCount(0);
    expect((await otherPage.request.get('/api/user')).status()).toBe(401);
  });

  await test.step('the decisions are listed under Done and in the audit log', async () => {
    await page.getByRole('tab', { name: 'Done' }).click();
    await expect(page.getByText('Removed · Spam by owner')).toBeVisible();
    await page.getByRole('tab', { name: 'Overview' }).click();
    const removals = page.getByRole('listitem').filter({ hasText: 'removed a reported poll' });
    await expect(removals.first()).toContainText(otherQuestion);
    await expect(removals.getByRole('link')).toHaveCount(0);
    await expect(page.getByText('reversed a decision on a report').first()).toBeVisible();
  });

  await test.step('the maker sees which rule was broken', async () => {
    await maker.goto('/my-polls');
    await expect(maker.getByText('Removed. It broke a rule: Spam.')).toBeVisible();
    await maker.getByRole('link', { name: 'The rules' }).click();
    await expect(maker.getByText('No spam')).toBeVisible();
  });
});

test('the key S moves on to the next report only if the maker is suspended, and Undo under Done updates that list', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser({ viewport: DESKTOP, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  const questions = ['Owner or guest?', 'First or last?', 'Last or least?'].map(newName);
  const [ownQuestion = '', firstQuestion = '', lastQuestion = ''] = questions;
  const { id: ownId } = await postPoll(page, ownQuestion);
  const firstName = newName('first');
  const { page: firstMaker } = await newUser({ serviceWorkers: 'block' });
  await register(firstMaker, firstName);
  const { id: firstId } = await postPoll(firstMaker, firstQuestion);
  const { page: lastMaker } = await newUser({ serviceWorkers: 'block' });
  await register(lastMaker, newName('last'));
  const { id: lastId } = await postPoll(lastMaker, lastQuestion);
  // At least two reports each, so that these polls are listed before those that other tests have reported once.
  await reportAsNewUsers(newUser, ownId, ['spam', 'spam', 'spam']);
  for (const id of [firstId, lastId]) await reportAsNewUsers(newUser, id, ['spam', 'spam']);
  await page.goto('/admin');
  await page.getByRole('tab', { name: /^Reports \d+ open$/ }).click();
  const rows = page.getByRole('tabpanel', { name: 'Open' }).getByRole('listitem');
  const [ownRow, firstRow, lastRow] = [ownQuestion, firstQuestion, lastQuestion].map((hasText) =>
    rows.filter({ hasText }),
  ) as [Locator, Locator, Locator];
  // The active row shows the keys of its buttons.
  const expectActive = (row: Locator) => expect(row.getByText('K', { exact: true })).toBeVisible();

  await test.step('a protected maker cannot be suspended', async () => {
    await ownRow.focus();
    await page.keyboard.press('s');
    await expect(ownRow).toBeFocused();
    await expectActive(ownRow);
  });

  await test.step('S only opens a dialog, and its button suspends the maker', async () => {
    await page.keyboard.press('ArrowDown');
    await expect(firstRow).toBeFocused();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: `Suspend ${firstName}?` });
    await expect(dialog).toBeVisible();
    await expectActive(firstRow);
    await dialog.getByRole('button', { name: `Suspend ${firstName}` }).click();
    await expect(firstRow).toHaveCount(0);
    await expectActive(lastRow);
  });

  await test.step('Undo while Done is shown removes the decision from that list', async () => {
    await page.keyboard.press('k');
    await expect(lastRow).toHaveCount(0);
    await page.getByRole('tab', { name: 'Done' }).click();
    const decided = page.getByRole('tabpanel', { name: 'Done' }).getByRole('listitem');
    await expect(decided.filter({ hasText: lastQuestion })).toHaveCount(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Undone')).toBeVisible();
    await expect(decided.filter({ hasText: lastQuestion })).toHaveCount(0);
  });
});
