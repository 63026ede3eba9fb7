import { expect, type Page } from '@playwright/test';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { newName } from './testing/people.ts';
import { joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

const PAGES = 3;

/** Answers for a feed of `PAGES` pages, all of them copies of `poll`; notes the offset of each page asked for. */
async function serveLongFeed(page: Page, poll: Poll): Promise<number[]> {
  const asked: number[] = [];
  const numbered = (number: number): Poll => ({
    ...poll,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    question: `Number ${number}?`,
  });
  await page.route('**/api/trending?*', (route) => route.fulfill({ json: [] }));
  await page.route('**/api/questions/00000000-*', (route) =>
    route.fulfill({ json: numbered(Number(route.request().url().slice(-12))) }),
  );
  await page.route('**/api/questions?*', (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    asked.push(offset);
    const data = Array.from({ length: FEED_PAGE_SIZE }, (_, index) => numbered(offset + index));
    const hasMore = offset < (PAGES - 1) * FEED_PAGE_SIZE;
    const nextCursor = hasMore ? `after ${offset}` : null;
    const body: FeedPage = { data, pagination: { limit: FEED_PAGE_SIZE, offset, hasMore, nextCursor } };
    return route.fulfill({ json: body });
  });
  return asked;
}

/** The first card that is wholly seen, and how far down it stands. */
function firstSeen(page: Page) {
  return page.getByRole('article').evaluateAll((cards) => {
    const top = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
    const first = cards.find((each) => each.getBoundingClientRect().top >= top);
    return {
      question: first?.querySelector('h3')?.textContent ?? '',
      top: Math.round(first?.getBoundingClientRect().top ?? 0),
    };
  });
}

const countCards = (page: Page) => page.getByRole('article').count();

/** Scrolls until all pages are there, and stops on the way back up, deep in the third one. */
async function scrollDeep(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    expect(await countCards(page)).toBe(PAGES * FEED_PAGE_SIZE);
  }).toPass();
  await page.getByRole('article', { name: 'Number 60?' }).scrollIntoViewIfNeeded();
}

test('Back from a poll is back at the same card, whichever Back it is; only Polls and Refresh load page 1', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  // What the service worker asks for would pass by the routes.
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await register(maker, newName('zoe'));
  const asked = await serveLongFeed(page, { ...(await postPoll(maker, 'Far or near?')), isMine: false });
  await joinIn(page, newName('adam'));
  await scrollDeep(page);
  expect(asked).toEqual([0, 24, 48]);
  const before = await firstSeen(page);

  for (const goBack of [
    () => page.goBack(),
    () => page.getByRole('banner').getByRole('button', { name: 'Back' }).click(),
  ]) {
    await page.getByRole('link', { name: before.question }).click();
    await expect(page).toHaveURL(/\/poll\//);
    await goBack();
    await expect(page).toHaveURL(/\/home$/);
    await expect.poll(() => firstSeen(page)).toEqual(before);
    expect(await countCards(page)).toBe(PAGES * FEED_PAGE_SIZE);
    expect(asked).toEqual([0, 24, 48]);
  }

  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(() => asked.length).toBeGreaterThan(3);
  expect(asked[3]).toBe(0);
});
