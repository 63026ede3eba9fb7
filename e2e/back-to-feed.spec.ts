import { expect, type Page } from '@playwright/test';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { Poll } from '#shared/polls/schema.ts';
import {
  copyOfPoll,
  createTemplatePoll,
  FEED_URL,
  feedPage,
  respondWith,
  TRENDING_URL,
} from './testing/fake-feed.ts';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

const PAGES = 3;
const PAGE_OFFSETS = [0, FEED_PAGE_SIZE, 2 * FEED_PAGE_SIZE];

/** Serves a feed of `PAGES` pages of copies of `poll`. The returned array collects the offset of each requested page. */
async function serveLongFeed(page: Page, poll: Poll): Promise<number[]> {
  const offsets: number[] = [];
  await page.route(TRENDING_URL, respondWith([]));
  // The last part of a copy's id is its number.
  await page.route('**/api/questions/00000000-*', (route) =>
    route.fulfill({ json: copyOfPoll(poll, Number(route.request().url().slice(-12))) }),
  );
  await page.route(FEED_URL, (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    offsets.push(offset);
    const data = Array.from({ length: FEED_PAGE_SIZE }, (_, index) => copyOfPoll(poll, offset + index));
    const hasMore = offset < (PAGES - 1) * FEED_PAGE_SIZE;
    return route.fulfill({ json: feedPage(data, hasMore ? `after ${offset}` : null) });
  });
  return offsets;
}

/** The question of the first card whose top is below the header, and its distance from the top of the viewport. */
function firstVisible(page: Page) {
  return page.getByRole('article').evaluateAll((cards) => {
    const top = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
    const first = cards.find((element) => element.getBoundingClientRect().top >= top);
    return {
      question: first?.querySelector('h3')?.textContent ?? '',
      top: Math.round(first?.getBoundingClientRect().top ?? 0),
    };
  });
}

const countCards = (page: Page) => page.getByRole('article').count();

/** Scrolls down until all pages are loaded, then back up to a card of the third page. */
async function scrollDeep(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    expect(await countCards(page)).toBe(PAGES * FEED_PAGE_SIZE);
  }).toPass();
  await page.getByRole('article', { name: 'Number 60?' }).scrollIntoViewIfNeeded();
}

test('Back from a poll, in the browser or the app, leads to the same card without fetching the feed', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page: maker } = await newUser();
  // Requests of the service worker would bypass the routes.
  const { page } = await newUser({ serviceWorkers: 'block' });
  const offsets = await serveLongFeed(page, await createTemplatePoll(maker));
  await registerAndOpenHome(page, newName('adam'));
  await scrollDeep(page);
  expect(offsets).toEqual(PAGE_OFFSETS);
  const before = await firstVisible(page);

  for (const goBack of [
    () => page.goBack(),
    () => page.getByRole('banner').getByRole('button', { name: 'Back' }).click(),
  ]) {
    await page.getByRole('link', { name: before.question }).click();
    await expect(page).toHaveURL(/\/poll\//);
    await goBack();
    await expect(page).toHaveURL(/\/home$/);
    await expect.poll(() => firstVisible(page)).toEqual(before);
    expect(await countCards(page)).toBe(PAGES * FEED_PAGE_SIZE);
    expect(offsets).toEqual(PAGE_OFFSETS);
  }

  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(() => offsets.length).toBeGreaterThan(PAGES);
  expect(offsets[PAGES]).toBe(0);
});

test('Back from a poll leads to the same search result', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const { page } = await newUser({ serviceWorkers: 'block' });
  const poll = await createTemplatePoll(maker);
  await serveLongFeed(page, poll);
  const data = Array.from({ length: FEED_PAGE_SIZE }, (_, index) => copyOfPoll(poll, index));
  await page.route('**/api/search?*', (route) =>
    route.fulfill({ json: { data, nextCursor: null, total: data.length } }),
  );
  await register(page, newName('adele'));
  await page.goto('/explore?view=search&q=number');
  const last = page.getByRole('article', { name: `Number ${FEED_PAGE_SIZE - 1}?` });
  await last.scrollIntoViewIfNeeded();
  const before = await firstVisible(page);
  await last.getByRole('link').click();
  await expect(page).toHaveURL(/\/poll\//);
  await page.goBack();
  await expect.poll(() => firstVisible(page)).toEqual(before);
});
