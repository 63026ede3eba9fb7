import { expect } from '@playwright/test';
import {
  copyOfPoll,
  createTemplatePoll,
  FEED_URL,
  feedPage,
  respondWith,
  TRENDING_URL,
} from './testing/fake-feed.ts';
import { registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('the feed has one column up to 768 px, two from 769 px, and three on a desktop', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([1, 2, 3, 4].map((number) => copyOfPoll(poll, number)))));
  await registerAndOpenHome(page, newName('edgar'));
  const columns = () =>
    page
      .getByRole('article')
      .evaluateAll((all) => new Set(all.map((element) => element.getBoundingClientRect().left)).size);
  for (const [width, count] of [
    [375, 1],
    [768, 1],
    [769, 2],
    [1280, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.getByRole('article')).toHaveCount(4);
    expect(await columns(), `${width} px`).toBe(count);
  }
});

test('a phone skips rendering cards far from the screen, which keep their height', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  await page.route(TRENDING_URL, respondWith([]));
  const polls = Array.from({ length: 12 }, (_, index) => copyOfPoll(poll, index + 1));
  await page.route(FEED_URL, respondWith(feedPage(polls)));
  await registerAndOpenHome(page, newName('lotte'));
  const last = card(page, 'Number 12?');
  const isRendered = () =>
    last.getByRole('heading').evaluate((heading) => heading.checkVisibility({ contentVisibilityAuto: true }));
  const distinctHeights = () =>
    page
      .getByRole('article')
      .evaluateAll((all) => [
        ...new Set(all.map((element) => Math.round(element.getBoundingClientRect().height))),
      ]);
  await expect.poll(isRendered).toBe(false);
  const [height] = await distinctHeights();
  expect(await distinctHeights()).toEqual([height]);
  // In landscape all cards have another height, and in portrait the former one again.
  await page.setViewportSize({ width: 600, height: 375 });
  await expect.poll(async () => (await distinctHeights()).length).toBe(1);
  expect(await distinctHeights()).not.toEqual([height]);
  await expect.poll(isRendered).toBe(false);
  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(distinctHeights).toEqual([height]);
  await last.scrollIntoViewIfNeeded();
  await expect.poll(isRendered).toBe(true);

  await page.evaluate(() => window.scrollTo(0, 0));
  await expect.poll(isRendered).toBe(false);
  // Rows of cards side by side are aligned, which needs the content of all of them.
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(isRendered).toBe(true);
});

test('a deleted maker is shown as Anonymous, and a missing or broken image by its option’s name', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectStatus(404, /gone\.webp/);
  // A path without a leading slash gets one: this image is shown.
  const pathWithoutSlash = poll.option2Image.replace(/^\//, '');
  const polls = [
    copyOfPoll(poll, 1, { user: null, option1Image: '/uploads/gone.webp', option2Image: pathWithoutSlash }),
    copyOfPoll(poll, 2, { option1Image: '/placeholder-1.svg', option2Image: '' }),
  ];
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage(polls)));
  await registerAndOpenHome(page, newName('frieda'));
  const firstCard = card(page, 'Number 1?');
  await expect(firstCard).toContainText('Anonymous');
  await expect(firstCard.getByText('Option A')).toBeVisible();
  await expect(firstCard.getByRole('img')).toHaveCount(1);
  await expect(firstCard.getByRole('img')).toHaveJSProperty('complete', true);
  expect(
    await firstCard.getByRole('img').evaluate((each: HTMLImageElement) => each.naturalWidth),
  ).toBeGreaterThan(0);
  const secondCard = card(page, 'Number 2?');
  await expect(secondCard.getByText('Option A')).toBeVisible();
  await expect(secondCard.getByText('Option B')).toBeVisible();
  await expect(secondCard.getByRole('img')).toHaveCount(0);
});

test('an image that is still loading shows its preview once it is near the screen', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  await page.route(TRENDING_URL, respondWith([]));
  const polls = Array.from({ length: 12 }, (_, index) => copyOfPoll(poll, index + 1));
  await page.route(FEED_URL, respondWith(feedPage(polls)));
  const { promise: imagesReleased, resolve: releaseImages } = Promise.withResolvers<void>();
  await page.route('**/uploads/*', async (route) => {
    await imagesReleased;
    await route.continue();
  });
  await registerAndOpenHome(page, newName('lara'));
  const firstImage = card(page, 'Number 1?').getByRole('img').first();
  const lastImage = card(page, 'Number 12?').getByRole('img').first();
  await expect(firstImage).toHaveCSS('background-image', /^url\("data:image\/png/);
  await expect(lastImage).toHaveCSS('background-image', 'none');
  await lastImage.scrollIntoViewIfNeeded();
  await expect(lastImage).toHaveCSS('background-image', /^url\("data:image\/png/);
  releaseImages();
  await expect(lastImage).toHaveCSS('background-image', 'none');
});

test('a preview is shown even if a busy browser reports two positions of its image at once', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  // Reports the entries of three seconds together.
  await page.addInitScript(() => {
    const Original = IntersectionObserver;
    window.IntersectionObserver = class extends Original {
      constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        const entries: IntersectionObserverEntry[] = [];
        super((added) => {
          entries.push(...added);
          setTimeout(() => entries.length > 0 && callback(entries.splice(0), this), 3_000);
        }, options);
      }
    };
  });
  await page.route(TRENDING_URL, respondWith([]));
  const polls = Array.from({ length: 12 }, (_, index) => copyOfPoll(poll, index + 1));
  await page.route(FEED_URL, respondWith(feedPage(polls)));
  // Never responds.
  await page.route('**/uploads/*', () => {});
  await registerAndOpenHome(page, newName('lara'));
  const lastImage = card(page, 'Number 12?').getByRole('img').first();
  await lastImage.scrollIntoViewIfNeeded();
  await expect(lastImage).toHaveCSS('background-image', /^url\("data:image\/png/);
});
