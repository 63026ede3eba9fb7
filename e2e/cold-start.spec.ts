import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import type { Poll } from '#shared/polls/schema.ts';
import { IMAGE_CACHE } from './testing/device-db.ts';
import { openLossyWay } from './testing/lossy-way.ts';
import { card, expectImages, newName, points } from './testing/people.ts';
import { fillPoll, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { Watch } from './testing/watch.ts';

type Device = { start(): Promise<Page>; close(): Promise<void>; problems(): string[] };

/** One browser whose disk outlives its process. `open` starts it in the folder of its profile. */
async function newDevice(open: (profile: string) => Promise<BrowserContext>): Promise<Device> {
  const profile = await mkdtemp(join(tmpdir(), 'this-or-that-profile-'));
  const watches: Watch[] = [];
  let running: BrowserContext | null = null;
  return {
    async start() {
      await running?.close();
      running = await open(profile);
      const watch = await Watch.over(running);
      watch.expectLosses();
      watches.push(watch);
      return running.pages()[0] ?? running.newPage();
    },
    async close() {
      await running?.close();
      await rm(profile, { recursive: true, force: true });
    },
    problems: () => watches.flatMap((watch) => watch.problems),
  };
}

/** Waits until the service worker has both images of a poll, in the size of a list. */
async function expectKept(page: Page, cards: Locator): Promise<void> {
  const sources = await cards
    .getByRole('img')
    .evaluateAll((all) => all.map((each) => (each instanceof HTMLImageElement ? each.currentSrc : '')));
  await expect
    .poll(() =>
      page.evaluate(
        async ([name, urls]) => {
          const cache = await caches.open(name);
          const found = await Promise.all(urls.map((url) => cache.match(url)));
          return found.every((each) => each !== undefined);
        },
        [IMAGE_CACHE, sources] as const,
      ),
    )
    .toBe(true);
}

test('after the browser was closed the app opens with the server away, and what was made arrives once', async ({
  newPerson,
  server,
  playwright,
  launchOptions,
  viewport,
}) => {
  // The browser is started four times.
  test.setTimeout(120_000);
  const [seen, mine, made] = ['Seen before?', 'Mine from before?', 'Made on the train?'];
  const { page: maker } = await newPerson();
  await register(maker, newName('vera'));
  await postPoll(maker, seen);
  const way = await openLossyWay(server);
  const device = await newDevice((profile) =>
    playwright.chromium.launchPersistentContext(profile, {
      ...launchOptions,
      viewport,
      baseURL: way.address,
    }),
  );
  try {
    await test.step('a day with a signal', async () => {
      const page = await device.start();
      const { referralCode } = await register(page, newName('walt'));
      await postPoll(page, mine);
      // Two friends bring back what the first poll has cost, for a second one.
      for (const friend of ['xaver', 'yana']) {
        const { page: theirs } = await newPerson();
        await register(theirs, newName(friend), referralCode);
      }
      await page.goto('/my-polls');
      await expectImages(card(page, mine));
      await expectKept(page, card(page, mine));
      await page.goto('/home');
      await expectImages(card(page, seen));
      await expectKept(page, card(page, seen));
    });
    way.cut(true);

    await test.step('the feed and own polls are there, with their images', async () => {
      const page = await device.start();
      await page.goto('/home');
      await expectImages(card(page, seen));
      await expect(points(page)).toHaveText('10');
      await page.goto('/my-polls');
      await expectImages(card(page, mine));
      await page.goto('/home');
      const dialog = await fillPoll(page, made);
      await dialog.getByRole('button', { name: 'Create Poll' }).click();
      await expect(dialog).toBeHidden();
      await expect(card(page, made)).toContainText('Waiting to sync');
    });

    await test.step('the new poll is there after one more start', async () => {
      const page = await device.start();
      await page.goto('/my-polls');
      await expect(card(page, made)).toContainText('Waiting to sync');
      await expectImages(card(page, made));
    });

    await test.step('it arrives once, although its answer is lost', async () => {
      way.loseAnswerTo('/api/questions');
      way.cut(false);
      const page = await device.start();
      await page.goto('/my-polls');
      await expect(card(page, made)).toContainText('Your poll', { timeout: 40_000 });
      await expect(points(page)).toHaveText('0');
      // The list may have told of it before it is sent again.
      await expect.poll(() => way.keysOf('/api/questions').length).toBeGreaterThan(1);
      const keys = way.keysOf('/api/questions');
      expect(new Set(keys).size).toBe(1);
      const polls: Poll[] = await (await page.request.get('/api/user/questions')).json();
      expect(polls.map(({ question }) => question)).toEqual([made, mine]);
    });
  } finally {
    await device.close();
    await way.close();
  }
  expect(device.problems()).toEqual([]);
});
