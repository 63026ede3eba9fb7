import { expect } from '@playwright/test';
import type { DeckPage } from '#shared/explore/schema.ts';
import { addSamplePolls, frontCard, frontQuestion } from './testing/deck.ts';
import { IMAGE_CACHE } from './testing/device-db.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, points } from './testing/user-actions.ts';

/** The number of cards that the app stores for use offline, if the deck has as many. */
const CARDS_STORED = 24;
const OFFLINE_VOTES = 5;

test('offline, a deck that was never loaded says so, even if the feed was', async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('orla'));
  await postPoll(maker, 'Ferry or bridge?');
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('odin'));
  await expect(page.getByRole('heading', { name: 'Ferry or bridge?' }).first()).toBeVisible();
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.goto('/explore');
  await expect(page.getByRole('alert')).toContainText(
    'the polls of the deck have not been loaded here before.',
  );
});

test('24 cards with their images are available offline, and offline votes are counted once', async ({
  newUser,
  server,
}) => {
  await addSamplePolls(newUser, server, 30);
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('olga'));
  await waitForServiceWorker(page);
  const received = page.waitForResponse('**/api/explore?*');
  await page.goto('/explore');
  await expect(frontQuestion(page)).toBeVisible();
  const { data }: DeckPage = await (await received).json();
  const imagePaths = data
    .slice(0, CARDS_STORED)
    .flatMap(({ option1Image, option2Image }) => [option1Image, option2Image]);
  const missingImages = () =>
    page.evaluate(
      async ([name, paths]) => {
        const cachedRequests = await (await caches.open(name)).keys();
        const cachedPaths = new Set(cachedRequests.map(({ url }) => new URL(url).pathname));
        return paths.filter((path) => !cachedPaths.has(path));
      },
      [IMAGE_CACHE, imagePaths] as const,
    );
  await expect.poll(missingImages, { timeout: 30_000 }).toEqual([]);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText(/Offline · \d\d more polls on this device/)).toBeVisible();
  for (let card = 0; card < CARDS_STORED; card += 1) {
    await expect(frontQuestion(page)).toBeVisible();
    const hasBrokenImage = await frontCard(page)
      .getByRole('img')
      .evaluateAll(async (images) => {
        const decoded = images.map((image) =>
          (image as HTMLImageElement).decode().then(
            () => true,
            () => false,
          ),
        );
        return (await Promise.all(decoded)).includes(false);
      });
    expect(hasBrokenImage, `card ${card}`).toBe(false);
    const labelId = (await frontCard(page).getAttribute('aria-labelledby')) ?? '';
    if (card < OFFLINE_VOTES) {
      await page.keyboard.press('ArrowLeft');
      await expect(frontCard(page).getByText('Waiting to sync')).toBeVisible();
    }
    await page.keyboard.press('ArrowDown');
    await expect(frontCard(page)).not.toHaveAttribute('aria-labelledby', labelId);
  }
  await page.context().setOffline(false);
  await expect(points(page)).toHaveText(String(10 + OFFLINE_VOTES), { timeout: 20_000 });
});
