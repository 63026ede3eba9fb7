import { expect, type Locator, type Page } from '@playwright/test';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import { IMAGE_CACHE, readQueue } from './testing/device-db.ts';
import { heavyPhoto } from './testing/photos.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, fillPoll, newName, points } from './testing/user-actions.ts';

const MB = 1024 * 1024;
const NO_SPACE_MESSAGE = 'This device has no space left to store it. Free some space and try again.';

/**
 * Makes every write of an image to the queue fail while `window.isFull` is true. Records these failures and what the app deletes in
 * `window.events`, in order and without immediate repetitions.
 */
async function failImageWrites(page: Page): Promise<void> {
  await page.evaluate((imageCache) => {
    const events: string[] = [];
    Reflect.set(window, 'events', events);
    Reflect.set(window, 'isFull', true);
    const record = (event: string) => {
      if (events.at(-1) !== event) events.push(event);
    };
    const { put, delete: remove } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function putUnlessFull(value, key) {
      if (this.name === 'opBlobs' && Reflect.get(window, 'isFull')) {
        record('no room');
        throw new DOMException('No room', 'QuotaExceededError');
      }
      return put.call(this, value, key);
    };
    IDBObjectStore.prototype.delete = function deleteWatched(query) {
      record(`from ${this.name}`);
      return remove.call(this, query);
    };
    const { delete: drop } = CacheStorage.prototype;
    CacheStorage.prototype.delete = function dropWatched(name) {
      record(name === imageCache ? 'image cache' : name);
      return drop.call(this, name);
    };
  }, IMAGE_CACHE);
}

/** Adds copies of one poll to the cached feed, so that it is longer than its first page. */
function lengthenFeed(page: Page, userId: number, pollId: string): Promise<void> {
  return page.evaluate(
    async ([user, id, count]) => {
      const opening = indexedDB.open(`this-or-that-user-${user}`);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const transaction = opening.result.transaction(['polls', 'feed'], 'readwrite');
      const reading = transaction.objectStore('polls').get(id);
      reading.onsuccess = () => {
        // After the positions of the fetched polls.
        for (let position = 100; position < 100 + count; position += 1) {
          const copy = crypto.randomUUID();
          transaction.objectStore('polls').put({ ...reading.result, id: copy });
          transaction.objectStore('feed').put({ pollId: copy, position });
        }
      };
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      opening.result.close();
    },
    [userId, pollId, FEED_PAGE_SIZE + 6] as const,
  );
}

async function expectContents(dialog: Locator, question: string): Promise<void> {
  await expect(dialog.getByLabel('Question')).toHaveValue(question);
  await expect(dialog.getByLabel('Caption of option A')).toHaveValue('Caption A');
  await expect(dialog.getByRole('img')).toHaveCount(2);
  await expectImages(dialog);
}

/** Submits the dialog, and expects the error for a full device and the unchanged input. */
async function expectNoSpaceError(page: Page, dialog: Locator, question: string): Promise<void> {
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByText('Failed to create poll')).toBeVisible();
  await expect(page.getByText(NO_SPACE_MESSAGE)).toBeVisible();
  await expectContents(dialog, question);
}

test('a full device deletes cached images and old feed pages, but no waiting changes, before it shows an error', {
  tag: '@core',
}, async ({ newUser }) => {
  const [voted, question] = ['Full or empty?', 'Room for one more?'];
  const { page: maker } = await newUser();
  const { page, monitor } = await newUser();
  await register(maker, newName('rita'));
  const poll = await postPoll(maker, voted);
  const { id } = await registerAndOpenHome(page, newName('stan'));
  await expectImages(card(page, voted));
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await card(page, voted).getByRole('button', { name: 'That' }).click();
  await expect(points(page)).toHaveText('10+1');
  await lengthenFeed(page, id, poll.id);

  const dialog = await fillPoll(page, question);
  await failImageWrites(page);
  await expectNoSpaceError(page, dialog, question);
  const events = await page.evaluate((): string[] => Reflect.get(window, 'events'));
  expect(events.slice(0, 4)).toEqual(['no room', 'image cache', 'no room', 'from feed']);
  expect(events.at(-1)).toBe('no room');
  expect(events.filter((event) => /ops|opBlobs/.test(event))).toEqual([]);
  expect((await readQueue(page, id)).ops).toMatchObject([{ type: 'vote', entityId: poll.id }]);

  await page.evaluate(() => Reflect.set(window, 'isFull', false));
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  expect((await readQueue(page, id)).ops).toMatchObject([{ type: 'vote' }, { type: 'createPoll' }]);
});

test('when the quota is used up, cached images are deleted, and an error is shown if there are none', async ({
  newUser,
  server,
}) => {
  const question = 'Enough or too much?';
  const { page, monitor } = await newUser();
  const devTools = await page.context().newCDPSession(page);
  const origin = server.address;
  const setQuota = (quotaSize: number) =>
    devTools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: Math.ceil(quotaSize) });
  const usedBytes = async () => (await devTools.send('Storage.getUsageAndQuota', { origin })).usage;
  // The quota is set before the app runs: the browser caches the free space for half a minute after the app's first query.
  monitor.expectStatus(404, /favicon\.ico$/);
  await page.goto('/placeholder-1.svg');
  await setQuota(3 * MB);
  const { id } = await registerAndOpenHome(page, newName('ugo'));
  await waitForServiceWorker(page);
  const image = await heavyPhoto();
  const dialog = await fillPoll(page, question, { images: [image, image] });
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expectNoSpaceError(page, dialog, question);
  expect(await readQueue(page, id)).toEqual({ ops: [], images: [] });

  await setQuota(100 * MB);
  await page.evaluate(
    async ([name, bytes]) => {
      const cache = await caches.open(name);
      await cache.put('/uploads/old.webp', new Response(new Uint8Array(bytes)));
    },
    [IMAGE_CACHE, 6 * MB] as const,
  );
  await expect.poll(usedBytes).toBeGreaterThan(6 * MB);
  await setQuota((await usedBytes()) + MB / 2);
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  const { images } = await readQueue(page, id);
  expect(images.map(({ bytes }) => bytes > MB)).toEqual([true, true]);
  expect(await page.evaluate((name) => caches.has(name), IMAGE_CACHE)).toBe(false);
});
