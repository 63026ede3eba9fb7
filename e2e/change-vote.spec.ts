import { expect } from '@playwright/test';
import { RESPONSES_MIN, VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import { voteAsNewUsers } from './testing/crowd.ts';
import { SMALLEST } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, expectImages, newName, points } from './testing/user-actions.ts';

const CAPTIONS: [string, string] = ['Coffee', 'Green tea'];

/** Opens /home as a new user, with an open poll of another user. */
async function openHomeWithPoll(newUser: NewUser, question: string) {
  const { page: maker } = await newUser();
  await register(maker, newName('mara'));
  const { id: pollId } = await postPoll(maker, question, { captions: CAPTIONS });
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('nils'));
  await expectImages(card(page, question));
  const pollCard = card(page, question);
  return {
    page,
    monitor,
    pollId,
    pollCard,
    optionButton: (caption: string) => pollCard.getByRole('button', { name: caption }),
    changeButton: pollCard.getByRole('button', { name: 'Change vote' }),
  };
}

test('changing a vote while the poll is open changes the results but not the points', {
  tag: '@core',
}, async ({ newUser }) => {
  const question = 'The cup that moves?';
  const { page, pollId, pollCard, optionButton, changeButton } = await openHomeWithPoll(newUser, question);
  await optionButton('Coffee').click();
  await expect(pollCard).toContainText('100%');
  await expect(points(page)).toHaveText('11');

  await test.step('Change vote shows the options, and Escape, Keep my vote or the same option keeps the vote', async () => {
    await changeButton.click();
    await expect(optionButton('Coffee')).toHaveAttribute('aria-pressed', 'true');
    await expect(optionButton('Green tea')).toHaveAttribute('aria-pressed', 'false');
    await page.keyboard.press('Escape');
    await expect(changeButton).toBeVisible();
    await changeButton.click();
    await pollCard.getByRole('button', { name: 'Keep my vote' }).click();
    await changeButton.click();
    await optionButton('Coffee').click();
    await expect(changeButton).toBeVisible();
    await expect(pollCard).toContainText('Coffee(your vote)');
    await expect(pollCard).toContainText(/100%.*0%/);
  });

  await test.step('Escape in a dialog of the card’s menu closes only the dialog', async () => {
    await changeButton.click();
    await pollCard.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this poll' });
    await dialog.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(optionButton('Coffee')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('Escape');
    await expect(changeButton).toBeVisible();
  });

  await test.step('the other option replaces the vote', async () => {
    await changeButton.click();
    await optionButton('Green tea').click();
    await expect(pollCard).toContainText('Green tea(your vote)');
    await expect(pollCard).toContainText(/(^|\D)0%.*100%/);
    await expect(points(page)).toHaveText('11');
  });

  const article = page.locator('[data-poll-detail]');
  await test.step('on the poll’s page, Escape closes only a dialog, even if the focus is outside it', async () => {
    await page.goto(`/poll/${pollId}`);
    await article.getByRole('button', { name: 'Change vote' }).click();
    await page.getByRole('main').getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this poll' });
    await expect(dialog).toBeVisible();
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(article.getByRole('button', { name: 'Green tea' })).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('Escape');
  });

  await test.step('on the poll’s page the vote can be changed again, until five changes are made', async () => {
    for (let change = 2; change <= VOTE_CHANGES_MAX; change += 1) {
      const caption = change % 2 === 0 ? 'Coffee' : 'Green tea';
      await article.getByRole('button', { name: 'Change vote' }).click();
      await article.getByRole('button', { name: caption }).click();
      await expect(article).toContainText(`${caption}(your vote)`);
    }
    await expect(article.getByRole('button', { name: 'Change vote' })).toBeHidden();
  });
});

test('offline, a change replaces a waiting vote, and a change of a counted vote is sent later', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page, monitor, pollId, pollCard, optionButton, changeButton } = await openHomeWithPoll(
    newUser,
    'The cup that waits?',
  );
  const sent: string[] = [];
  // Only finished requests are recorded, because a call that fails while the device is coming online is retried. The event may
  // come after the response is on the screen, so the checks below wait for it.
  page.context().on('requestfinished', (request) => {
    if (request.url().endsWith('/vote')) sent.push(`${request.method()} ${request.postData()}`);
  });
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();

  await test.step('a waiting vote is replaced, and only the new vote is sent', async () => {
    await page.context().setOffline(true);
    // A vote that was attempted before the page knew that it is offline may have been sent, so it would not be replaced.
    await page.waitForFunction(() => !navigator.onLine);
    await optionButton('Coffee').click();
    await expect(pollCard).toContainText('Waiting to sync');
    await changeButton.click();
    await optionButton('Green tea').click();
    await expect(pollCard).toContainText('Green tea(your vote)');
    sent.length = 0;
    await page.context().setOffline(false);
    // If the first call fails, it is retried only after seconds.
    await expect(pollCard).toContainText('100%', { timeout: 30_000 });
    await expect.poll(() => sent).toEqual(['POST {"option":2}']);
  });

  await test.step('on the poll’s page, a waiting change of a counted vote can be taken back', async () => {
    await page.goto(`/poll/${pollId}`);
    const article = page.locator('[data-poll-detail]');
    await expect(article.getByRole('button', { name: 'Change vote' })).toBeVisible();
    await page.context().setOffline(true);
    await page.waitForFunction(() => !navigator.onLine);
    await article.getByRole('button', { name: 'Change vote' }).click();
    await article.getByRole('button', { name: 'Coffee' }).click();
    await expect(article).toContainText('was Green tea');
    await article.getByRole('button', { name: 'Change vote' }).click();
    await article.getByRole('button', { name: 'Green tea' }).click();
    await expect(article).toContainText('100%');
    await expect(article).not.toContainText('was ');
    await page.goBack();
  });

  await test.step('a waiting change shows the number of votes and the previous option', async () => {
    await changeButton.click();
    await optionButton('Coffee').click();
    await expect(pollCard).toContainText('Waiting to sync');
    await expect(pollCard).toContainText('was Green tea');
    await expect(points(page)).toHaveText('11');
    await page.reload();
    await expect(pollCard).toContainText('1 vote·was Green tea');
    await expect(changeButton).toHaveCount(0);
    sent.length = 0;
    await page.context().setOffline(false);
    await expect(changeButton).toBeVisible({ timeout: 30_000 });
    await expect(pollCard).toContainText('Coffee(your vote)');
    await expect.poll(() => sent).toEqual(['PUT {"option":1}']);
  });
});

test('on a compact card a vote can be changed, too, and the card keeps its height', async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('mona'));
  const question = newName('The cup in a search?');
  await postPoll(maker, question, { captions: CAPTIONS });
  const { page } = await newUser({ viewport: SMALLEST });
  await register(page, newName('nick'));
  await page.goto(`/explore?view=search&q=${encodeURIComponent(question)}`);
  const compactCard = card(page, question);
  const voteButton = (caption: string) => compactCard.getByRole('button', { name: `Vote for ${caption}` });
  const changeButton = compactCard.getByRole('button', { name: 'Change vote' });
  await voteButton('Coffee').click();
  await expect(changeButton).toBeVisible();
  const height = (await compactCard.boundingBox())?.height;

  await changeButton.click();
  await expect(voteButton('Coffee')).toHaveAttribute('aria-pressed', 'true');
  await expect(voteButton('Green tea').locator('.pair-image')).toHaveCSS('opacity', '1');
  expect((await compactCard.boundingBox())?.height).toBe(height);
  await page.keyboard.press('Escape');
  await changeButton.click();
  await compactCard.getByRole('button', { name: 'Keep my vote' }).click();
  await changeButton.click();
  await voteButton('Green tea').click();
  await expect(compactCard.locator('[data-option="2"][data-chosen="yes"]')).toContainText('100%');
  expect((await compactCard.boundingBox())?.height).toBe(height);
});

test('a change that arrives after the poll has closed is refused with a reason, and the vote is kept', async ({
  newUser,
  server,
}) => {
  const { page, monitor, pollId, pollCard, optionButton, changeButton } = await openHomeWithPoll(
    newUser,
    'The cup that was late?',
  );
  monitor.expectStatus(409, /\/vote$/);
  await optionButton('Coffee').click();
  await expect(changeButton).toBeVisible();
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await changeButton.click();
  await optionButton('Green tea').click();
  // With these votes the poll has all responses wanted.
  await voteAsNewUsers(server, pollId, RESPONSES_MIN - 1, 1);
  await page.context().setOffline(false);

  await expect(pollCard).toContainText('Your change was not counted.', { timeout: 30_000 });
  await expect(pollCard).toContainText('This poll already has all the votes it asked for.');
  await expect(pollCard).toContainText('Your vote for Coffee stays.');
  await expect(pollCard).toContainText('Coffee(your vote)');

  await test.step('the outbox shows it, too', async () => {
    const outbox = await page.context().newPage();
    await outbox.goto('/outbox');
    await expect(outbox.getByText('Change not counted')).toBeVisible();
    await expect(outbox.getByText('The poll closed before your change arrived.')).toBeVisible();
    await outbox.close();
  });

  await test.step('after Discard on the card the counted vote and the focus stay there', async () => {
    const discard = pollCard.getByRole('button', { name: 'Discard' });
    await discard.focus();
    await page.keyboard.press('Enter');
    await expect(discard).toHaveCount(0);
    await expect(pollCard.locator('[data-zone]')).toBeFocused();
    await expect(pollCard).toContainText('Coffee(your vote)');
    await page.goto('/outbox');
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
  });
});
