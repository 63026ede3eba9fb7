import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import type { Poll } from '#shared/polls/schema.ts';
import { IMAGE_CACHE } from './testing/device-db.ts';
import { ErrorMonitor } from './testing/error-monitor.ts';
import { startLossyProxy } from './testing/lossy-proxy.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, fillPoll, newName, points } from './testing/user-actions.ts';

type Device = {
  /** Starts the browser, after closing it if it is running, and returns its page. */
  start(): Promise<Page>;
  close(): Promise<void>;
  problems(): string[];
};

/** A browser with a persistent profile. `open` starts the browser with the folder of the profile. */
async function newDevice(open: (profile: string) => Promise<BrowserContext>): Promise<Device> {
  const profile = await mkdtemp(join(tmpdir(), 'this-or-that-profile-'));
  const monitors: ErrorMonitor[] = [];
  let running: BrowserContext | null = null;
  return {
    async start() {
      await running?.close();
      running = await open(profile);
      const monitor = await ErrorMonitor.start(running);
      monitor.expectNetworkErrors();
      monitors.push(monitor);
      return running.pages()[0] ?? running.newPage();
    },
    async close() {
      await running?.close();
      await rm(profile, { recursive: true, force: true });
    },
    problems: () => monitors.flatMap((monitor) => monitor.problems),
  };
}

/** Waits until the service worker has cached both images of a poll in the size for lists. */
async function expectCachedImages(page: Page, pollCard: Locator): Promise<void> {
  const sources = await pollCard
    .getByRole('img')
    .evaluateAll((images) =>
      images.map((image) => (image instanceof HTMLImageElement ? image.currentSrc : '')),
    );
  await expect
    .poll(() =>
      page.evaluate(
        async ([name, urls]) => {
          const cache = await caches.open(name);
          const cached = await Promise.all(urls.map((url) => cache.match(url)));
          return cached.every((response) => response !== undefined);
        },
        [IMAGE_CACHE, sources] as const,
      ),
    )
    .toBe(true);
}

/** Reads the paths of all responses in the caches of the service worker. */
function cachedPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = await Promise.all(opened.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
}

test('after a restart of the browser the app opens without the server, and a poll created offline arrives once', {
  tag: '@core',
}, async ({ newUser, server, playwright, launchOptions, viewport }) => {
  // The browser is started four times.
  test.setTimeout(120_000);
  const feedQuestion = 'Seen before?';
  const ownQuestion = 'Mine from before?';
  const offlineQuestion = 'Made on the train?';
  const { page: maker } = await newUser();
  await register(maker, newName('vera'));
  await postPoll(maker, feedQuestion);
  const proxy = await startLossyProxy(server);
  const device = await newDevice((profile) =>
    playwright.chromium.launchPersistentContext(profile, {
      ...launchOptions,
      viewport,
      baseURL: proxy.address,
    }),
  );
  try {
    await test.step('polls and images are cached while online', async () => {
      const page = await device.start();
      const { referralCode } = await register(page, newName('walt'));
      await postPoll(page, ownQuestion);
      // Two referrals earn the points for a second poll.
      for (const friend of ['xaver', 'yana']) {
        const { page: friendPage } = await newUser();
        await register(friendPage, newName(friend), referralCode);
      }
      await page.goto('/my-polls');
      await expectImages(card(page, ownQuestion));
      await expectCachedImages(page, card(page, ownQuestion));
      await page.goto('/home');
      await expectImages(card(page, feedQuestion));
      await expectCachedImages(page, card(page, feedQuestion));
      const paths = await cachedPaths(page);
      expect(paths).toContain('/index.html');
      expect(paths.filter((path) => path.startsWith('/api/'))).toEqual([]);
    });
    proxy.goOffline();

    await test.step('the feed and own polls are shown with their images', async () => {
      const page = await device.start();
      await page.goto('/home');
      await expectImages(card(page, feedQuestion));
      await expect(points(page)).toHaveText('10');
      await page.goto('/my-polls');
      await expectImages(card(page, ownQuestion));
      await page.goto('/home');
      const dialog = await fillPoll(page, offlineQuestion);
      await dialog.getByRole('button', { name: 'Create Poll' }).click();
      await expect(dialog).toBeHidden();
      await expect(card(page, offlineQuestion)).toContainText('Waiting to sync');
    });

    await test.step('the new poll is shown after another restart', async () => {
      const page = await device.start();
      await page.goto('/my-polls');
      await expect(card(page, offlineQuestion)).toContainText('Waiting to sync');
      await expectImages(card(page, offlineQuestion));
    });

    await test.step('the new poll arrives once although its response is lost', async () => {
      proxy.loseResponseTo('/api/questions');
      proxy.goOnline();
      const page = await device.start();
      await page.goto('/my-polls');
      await expect(card(page, offlineQuestion)).toContainText('Your poll', { timeout: 40_000 });
      await expect(points(page)).toHaveText('0');
      // The list may contain the poll before the creation is retried.
      await expect.poll(() => proxy.keysOf('/api/questions').length).toBeGreaterThan(1);
      const keys = proxy.keysOf('/api/questions');
      expect(new Set(keys).size).toBe(1);
      const polls: Poll[] = await (await page.request.get('/api/user/questions')).json();
      expect(polls.map(({ question }) => question)).toEqual([offlineQuestion, ownQuestion]);
    });
  } finally {
    await device.close();
    await proxy.close();
  }
  expect(device.problems()).toEqual([]);
});
