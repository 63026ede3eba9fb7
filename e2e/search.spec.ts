import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { frontQuestion } from './testing/deck.ts';
import { expectNoHorizontalScroll, SMALLEST, waitTwoFrames } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

let wordCount = 0;
/** A word that no other test uses. */
const newWord = () => {
  wordCount += 1;
  return `zebra${wordCount}x${Date.now() % 100_000}`;
};

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search for polls' });

/** Posts a poll as a new user. */
async function postAsNewUser(newUser: NewUser, question: string, captions?: [string, string]) {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('mara'));
  await postPoll(page, question, { ...(captions && { captions }) });
}

async function openSearch(page: Page): Promise<void> {
  await page.goto('/explore');
  await page.getByRole('tab', { name: 'Search' }).click();
  await expect(field(page)).toBeVisible();
}

test('a search finds polls by question and caption, and is kept when going back and after a reload', {
  tag: '@core',
}, async ({ newUser }) => {
  const word = newWord();
  await postAsNewUser(newUser, `Stripes of a ${word}?`, ['Black', 'White']);
  const rideQuestion = `Ride a ${newWord()}?`;
  await postAsNewUser(newUser, rideQuestion, ['A horse', word.toUpperCase()]);
  await postAsNewUser(newUser, `Something other than a ${word.slice(0, -1)}?`);

  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('otto'));
  await openSearch(page);
  await field(page).pressSequentially(word, { delay: 20 });
  const polls = page.getByRole('article');
  await expect(polls).toHaveCount(2);
  await expect(page.getByText('2 polls')).toBeVisible();
  await expect(page).toHaveURL(`/explore?view=search&q=${word}`);
  await expectNoViolations(page, 'search');

  await test.step('a tap on an image votes', async () => {
    await card(page, rideQuestion).getByRole('button', { name: 'Vote for A horse' }).click();
    await expect(card(page, rideQuestion)).toContainText('100%');
    await expect(card(page, rideQuestion)).toContainText('(your vote)');
    await expect(card(page, rideQuestion)).toContainText('A horse 100 percent');
    await page.getByRole('radio', { name: 'Most votes' }).click();
    await expect(page).toHaveURL(`/explore?view=search&q=${word}&sort=votes`);
    await expect(polls.first()).toContainText(rideQuestion);
  });

  await test.step('a search without results can be cleared', async () => {
    await field(page).fill(`${word}qqq`);
    await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();
    await expect(page.getByText('Try fewer letters.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect(field(page)).toBeFocused();
    await expect(polls.first()).toBeVisible();
    await expect(page).toHaveURL('/explore?view=search&sort=votes');
    await field(page).fill(word);
    await expect(polls).toHaveCount(2);
  });

  await test.step('going back from a poll and a reload keep the search', async () => {
    await card(page, rideQuestion).getByRole('link').click();
    await expect(page).toHaveURL(/\/poll\//);
    await page.goBack();
    await expect(field(page)).toHaveValue(word);
    await expect(polls).toHaveCount(2);
    await page.reload();
    await expect(field(page)).toHaveValue(word);
    await expect(card(page, rideQuestion)).toContainText('100%');
  });

  await page.setViewportSize(SMALLEST);
  await expectNoHorizontalScroll(page);
  await page.getByRole('tab', { name: 'Deck' }).click();
  await expect(field(page)).toBeHidden();
  await page.getByRole('tab', { name: 'Deck' }).click();
  await expect(page).toHaveURL('/explore');
  await test.step('the tab Search returns to the search', async () => {
    await page.getByRole('tab', { name: 'Search' }).click();
    await expect(field(page)).toHaveValue(word);
    await expect(polls).toHaveCount(2);
    await expect(page.getByRole('radio', { name: 'Most votes' })).toBeChecked();
  });
});

test('without any poll, the search says so', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('rolf'));
  await page.route('**/api/search?*', (route) =>
    route.fulfill({ json: { data: [], nextCursor: null, total: 0 } }),
  );
  await page.goto('/explore?view=search');
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await field(page).fill('qqq');
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();

  await test.step('Enter repeats the search', async () => {
    await Promise.all([page.waitForRequest('**/api/search?*'), field(page).press('Enter')]);
    await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();
  });

  await test.step('if the repeated search is lost, the results remain', async () => {
    monitor.expectNetworkErrors();
    await page.route('**/api/search?*', (route) => route.abort());
    await Promise.all([page.waitForEvent('requestfailed'), field(page).press('Enter')]);
    await waitTwoFrames(page);
    await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();
  });
});

test('further pages are loaded at the end of the list', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('ruth'));
  const cursors: (string | null)[] = [];
  await page.route('**/api/search?*', async (route) => {
    const url = new URL(route.request().url());
    cursors.push(url.searchParams.get('cursor'));
    url.searchParams.set('limit', '1');
    await route.fulfill({ response: await route.fetch({ url: url.href }) });
  });
  const word = newWord();
  for (const nth of [1, 2, 3]) await postAsNewUser(newUser, `Page ${nth} of ${word}?`);
  await page.goto(`/explore?view=search&q=${word}`);
  await expect(page.getByText('3 polls')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('heading', { level: 3 })).toHaveText([/Page 3/, /Page 2/, /Page 1/]);
  expect(cursors).toHaveLength(3);
});

test('offline, a search keeps its results, and a new search waits for the connection', async ({
  newUser,
}) => {
  const word = newWord();
  const { page, monitor } = await newUser();
  await register(page, newName('sven'));
  await postPoll(page, `Offline ${word}?`);
  await page.goto(`/explore?view=search&q=${word}`);
  await waitForServiceWorker(page);
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(1);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(page.getByText('Connection Issue')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
  await field(page).fill(`${word}?`);
  await expect(page.getByRole('heading', { name: 'Search needs a connection' })).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('offline, the search offers the deck if it has polls on this device', async ({ newUser }) => {
  await postAsNewUser(newUser, 'Train or plane?');
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('svea'));
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  const heading = page.getByRole('heading', { name: 'Search needs a connection' });
  const link = page.getByRole('link', { name: 'Open the deck' });

  await page.context().setOffline(true);
  await page.goto('/explore?view=search');
  await expect(heading).toBeVisible();
  await waitTwoFrames(page);
  await expect(page.getByText('The deck works offline.')).toBeHidden();
  await expect(link).toBeHidden();

  await page.context().setOffline(false);
  await page.goto('/explore');
  await expect(frontQuestion(page)).toBeVisible();
  await page.context().setOffline(true);
  await page.goto('/explore?view=search');
  await expect(page.getByText('The deck works offline.')).toBeVisible();
  await link.click();
  await expect(frontQuestion(page)).toBeVisible();
});

test('a failed search shows an error and can be retried, while a failed repetition leaves the results', async ({
  newUser,
}) => {
  const word = newWord();
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('tove'));
  await postPoll(page, `Failing ${word}?`);
  monitor.expectStatus(500, /\/api\/search/);
  const failSearches = () =>
    page.route('**/api/search?*', (route) =>
      route.fulfill({ status: 500, json: { message: 'x', code: 'internal' } }),
    );
  await failSearches();
  await page.goto(`/explore?view=search&q=${word}`);
  await expect(page.getByRole('alert')).toHaveText('Error loading polls. Please try again later.');
  await page.unroute('**/api/search?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('article')).toHaveCount(1);

  await failSearches();
  await Promise.all([page.waitForEvent('requestfinished'), field(page).press('Enter')]);
  await waitTwoFrames(page);
  await expect(page.getByRole('article')).toHaveCount(1);
});
