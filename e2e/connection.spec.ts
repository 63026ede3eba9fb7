import { expect, type Locator, type Page } from '@playwright/test';
import { CONNECTION_RESTORED_DURATION_MS, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { frontCard, openDeck } from './testing/deck.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, createPoll, expectImages, newName } from './testing/user-actions.ts';

const API = '**/api/**';

/** Makes the server unreachable while the browser still reports a network. */
async function loseServer(page: Page): Promise<void> {
  await page.route(API, (route) => route.abort('connectionrefused'));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Reconnecting, attempt 1 of 5')).toBeVisible();
}

/** The chunk of the connection card is loaded last on a first visit. Without it the card could not be shown offline. */
async function waitForConnectionCardChunk(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/notices-')),
  );
}

/** Scrolls until all pages of the feed are loaded. */
async function scrollToEndOfFeed(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(page.getByText('No more polls to load.')).toBeVisible({ timeout: 500 });
  }).toPass();
}

/** The position and size of a visible element. */
async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('The element is not visible.');
  return box;
}

/** Advances the clock until the second to fifth attempts have failed. */
async function failRemainingAttempts(page: Page): Promise<void> {
  for (const attempt of [2, 3, 4]) {
    await page.clock.fastForward(HEALTH_INTERVAL_MS);
    await expect(page.getByText(`Reconnecting, attempt ${attempt} of 5`)).toBeVisible();
  }
  await page.clock.fastForward(HEALTH_INTERVAL_MS);
  await expect(page.getByText('Connection Failed')).toBeVisible();
}

test('the connection card counts five attempts, then offers Refresh', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  await page.clock.install();
  await registerAndOpenHome(page, newName('xenia'));
  await createPoll(page, { question: 'Now or never?', captions: ['Now', 'Never'] });
  monitor.expectNetworkErrors();
  await loseServer(page);
  await expect(page.getByText('Connection Issue')).toBeVisible();
  await failRemainingAttempts(page);
  const failure = 'Unable to connect to the server. Please try refreshing the page.';
  await expect(page.getByText(failure)).toBeVisible();
  // The message stays.
  await page.clock.fastForward(60_000);
  await expect(page.getByText(failure)).toBeVisible();
  // The card never takes the focus from the button in the feed.
  await expect(page.getByRole('main').getByRole('button', { name: 'Refresh' })).toBeFocused();

  await test.step('Refresh starts five new attempts, and a successful attempt is shown', async () => {
    const refresh = page.getByRole('status').getByRole('button', { name: 'Refresh' });
    await refresh.click();
    await expect(page.getByText('Reconnecting, attempt 1 of 5')).toBeVisible();
    await failRemainingAttempts(page);
    await page.unroute(API);
    await refresh.click();
    await expect(page.getByText('Connection Restored')).toBeVisible();
    await page.clock.fastForward(CONNECTION_RESTORED_DURATION_MS);
    await expect(page.getByText('Connection Restored')).toBeHidden();
  });
});

test('the end of the page can be scrolled above the connection card, and Hide collapses the card to a chip', async ({
  newUser,
}) => {
  const question = 'Up or down?';
  const { page: maker } = await newUser();
  // So low that even a feed with a single poll has to be scrolled.
  const { page, monitor } = await newUser({ viewport: { width: 375, height: 500 } });
  await register(maker, newName('yuri'));
  await postPoll(maker, question, { captions: ['Up', 'Down'] });
  await registerAndOpenHome(page, newName('zoe'));
  await expectImages(card(page, question));
  await waitForServiceWorker(page);
  await waitForConnectionCardChunk(page);
  await scrollToEndOfFeed(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(page.getByText('Connection Issue')).toBeVisible();

  await test.step('the end of the page can be scrolled above the card', async () => {
    // The page grows by the card's height once the card has been measured.
    await expect(async () => {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const end = await boxOf(page.getByText('No more polls to load.'));
      const connectionCard = page.getByRole('status').filter({ hasText: 'Connection Issue' });
      expect(end.y + end.height).toBeLessThanOrEqual((await boxOf(connectionCard)).y);
    }).toPass({ timeout: 5_000 });
  });

  await test.step('the page can be used beside the card, which counts the waiting changes', async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    await card(page, question).getByRole('button', { name: 'Down' }).click();
    await expect(page.getByRole('link', { name: '1 change waiting' })).toBeVisible();
  });

  await test.step('Hide collapses the card to a chip that leads to the outbox', async () => {
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect(page.getByText('Connection Issue')).toBeHidden();
    await page.getByRole('banner').getByRole('link', { name: '1 waiting' }).click();
    await expect(page.getByRole('heading', { name: 'Waiting to sync · 1' })).toBeVisible();
  });

  await test.step('the card is shown again at the next failure, and by a tap on the chip', async () => {
    await page.context().setOffline(false);
    await expect(page.getByText('Nothing is waiting')).toBeVisible({ timeout: 30_000 });
    await page.context().setOffline(true);
    await expect(page.getByText('Connection Issue')).toBeVisible();
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Offline' }).click();
    await expect(page.getByText(/Connection (Issue|Failed)/)).toBeVisible();
  });
});

for (const viewport of [
  { width: 320, height: 568 },
  { width: 375, height: 667 },
]) {
  test(`at ${viewport.width} px the connection card does not cover the vote buttons of the deck`, async ({
    newUser,
    server,
  }) => {
    const { page, monitor } = await openDeck(newUser, server, 2, { viewport });
    await waitForConnectionCardChunk(page);
    await page.clock.install();
    monitor.expectNetworkErrors();
    await page.context().setOffline(true);
    const connectionCard = page.locator('.connection-card');
    const voteButtons = frontCard(page).locator('.btn-option');
    await expect(voteButtons).toHaveCount(2);
    const expectVoteButtonsAboveCard = () =>
      expect(async () => {
        for (const button of await voteButtons.all()) {
          const { y, height } = await boxOf(button);
          expect(y + height).toBeLessThan((await boxOf(connectionCard)).y);
        }
      }).toPass({ timeout: 10_000 });
    await expect(page.getByText('Connection Issue')).toBeVisible();
    await expectVoteButtonsAboveCard();
    await failRemainingAttempts(page);
    await expectVoteButtonsAboveCard();
    await connectionCard.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByText('Connection Issue')).toBeVisible();
  });
}
