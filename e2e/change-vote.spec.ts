import { expect, type Page } from '@playwright/test';
import { RESPONSES_MIN, VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import { crowdVotes } from './testing/crowd.ts';
import { card, expectImages, newName, points } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import type { Watch } from './testing/watch.ts';

const CAPTIONS: [string, string] = ['Coffee', 'Green tea'];

/** A person on the feed with an open poll of somebody else's. */
async function openFeed(newPerson: () => Promise<{ page: Page; watch: Watch }>, question: string) {
  const { page: maker } = await newPerson();
  await register(maker, newName('mara'));
  await postPoll(maker, question, { captions: CAPTIONS });
  const { page, watch } = await newPerson();
  await joinIn(page, newName('nils'));
  await expectImages(card(page, question));
  const [poll] = await (await maker.request.get('/api/user/questions')).json();
  const shown = card(page, question);
  return {
    page,
    watch,
    pollId: poll.id as string,
    shown,
    key: (caption: string) => shown.getByRole('button', { name: caption }),
    changeLink: shown.getByRole('button', { name: 'Change vote' }),
  };
}

test('a vote can be changed while the poll is open: no points move, and the results follow', async ({
  newPerson,
}) => {
  const question = 'The cup that moves?';
  const { page, pollId, shown, key, changeLink } = await openFeed(newPerson, question);
  await key('Coffee').click();
  await expect(shown).toContainText('100%');
  await expect(points(page)).toHaveText('11');

  await test.step('the keys come back, one’s own is quiet; Escape keeps the vote', async () => {
    await changeLink.click();
    await expect(key('Coffee')).toHaveAttribute('aria-pressed', 'true');
    await expect(key('Green tea')).toHaveAttribute('aria-pressed', 'false');
    await page.keyboard.press('Escape');
    await expect(changeLink).toBeVisible();
    await changeLink.click();
    await shown.getByRole('button', { name: 'Keep my vote' }).click();
    await changeLink.click();
    await key('Coffee').click();
    await expect(changeLink).toBeVisible();
  });

  await test.step('the other option is the vote now', async () => {
    await changeLink.click();
    await key('Green tea').click();
    await expect(shown).toContainText('Green tea(your vote)');
    await expect(shown).toContainText('0%');
    await expect(points(page)).toHaveText('11');
  });

  await test.step('on the poll’s own page too, until five changes are made', async () => {
    await page.goto(`/poll/${pollId}`);
    const article = page.locator('[data-poll-detail]');
    for (let nth = 2; nth <= VOTE_CHANGES_MAX; nth += 1) {
      const caption = nth % 2 === 0 ? 'Coffee' : 'Green tea';
      await article.getByRole('button', { name: 'Change vote' }).click();
      await article.getByRole('button', { name: caption }).click();
      await expect(article).toContainText(`${caption}(your vote)`);
    }
    await expect(article.getByRole('button', { name: 'Change vote' })).toBeHidden();
  });
});

test('with no network a waiting vote is replaced, and a change of a counted one waits and arrives', async ({
  newPerson,
}) => {
  const { page, watch, shown, key, changeLink } = await openFeed(newPerson, 'The cup that waits?');
  const sent: string[] = [];
  // A call that fails as the network comes back is sent again.
  page.context().on('requestfinished', (request) => {
    if (request.url().endsWith('/vote')) sent.push(`${request.method()} ${request.postData()}`);
  });
  await untilKept(page);
  watch.expectLosses();

  await test.step('the vote that waits is replaced: one is sent', async () => {
    await page.context().setOffline(true);
    // A vote that is tried before the page knows may have been sent, and is not replaced.
    await page.waitForFunction(() => !navigator.onLine);
    await key('Coffee').click();
    await expect(shown).toContainText('Waiting to sync');
    await changeLink.click();
    await key('Green tea').click();
    await expect(shown).toContainText('Green tea(your vote)');
    sent.length = 0;
    await page.context().setOffline(false);
    await expect(shown).toContainText('100%');
    expect(sent).toEqual(['POST {"option":2}']);
  });

  await test.step('a change of the counted vote waits and says what it was', async () => {
    await page.context().setOffline(true);
    await changeLink.click();
    await key('Coffee').click();
    await expect(shown).toContainText('Waiting to sync');
    await expect(shown).toContainText('was Green tea');
    await expect(points(page)).toHaveText('11');
    await page.reload();
    await expect(shown).toContainText('was Green tea');
    sent.length = 0;
    await page.context().setOffline(false);
    await expect(changeLink).toBeVisible({ timeout: 30_000 });
    await expect(shown).toContainText('Coffee(your vote)');
    expect(sent).toEqual(['PUT {"option":1}']);
  });
});

test('a change for a poll that has closed is refused with its reason, and the vote stays', async ({
  newPerson,
  server,
}) => {
  const { page, watch, pollId, shown, key, changeLink } = await openFeed(newPerson, 'The cup that was late?');
  watch.expectStatus(409, /\/vote$/);
  await key('Coffee').click();
  await expect(changeLink).toBeVisible();
  await untilKept(page);
  watch.expectLosses();
  await page.context().setOffline(true);
  await changeLink.click();
  await key('Green tea').click();
  await crowdVotes(server, pollId, RESPONSES_MIN - 1, 1);
  await page.context().setOffline(false);

  await expect(shown).toContainText('Your change was not counted.', { timeout: 30_000 });
  await expect(shown).toContainText('This poll has all the votes it asked for.');
  await expect(shown).toContainText('Your vote for Coffee stays.');
  await expect(shown).toContainText('Coffee(your vote)');
  await page.goto('/outbox');
  await expect(page.getByText('Change not counted')).toBeVisible();
  await expect(page.getByText('The poll closed before your change arrived.')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
});
