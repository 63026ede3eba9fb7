import { expect } from '@playwright/test';
import { FEED, gives, numbered, pageOf, somePoll, TRENDING } from './testing/fake-feed.ts';
import { card, newName } from './testing/people.ts';
import { joinIn } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

test('the grid has one, two or three columns', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page } = await newPerson();
  await page.route(TRENDING, gives([]));
  await page.route(FEED, gives(pageOf([1, 2, 3, 4].map((number) => numbered(poll, number)))));
  await joinIn(page, newName('edgar'));
  const columns = () =>
    page
      .getByRole('article')
      .evaluateAll((all) => new Set(all.map((each) => each.getBoundingClientRect().left)).size);
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

test('who is gone is Anonymous, and an image that is missing or fails is its option', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  watch.expectStatus(404, /gone\.webp/);
  const slashless = poll.option2Image.replace(/^\//, '');
  const polls = [
    numbered(poll, 1, { user: null, option1Image: '/uploads/gone.webp', option2Image: slashless }),
    numbered(poll, 2, { option1Image: '/placeholder-1.svg', option2Image: '' }),
  ];
  await page.route(TRENDING, gives([]));
  await page.route(FEED, gives(pageOf(polls)));
  await joinIn(page, newName('frieda'));
  const first = card(page, 'Number 1?');
  await expect(first).toContainText('Anonymous');
  await expect(first.getByText('Option A')).toBeVisible();
  await expect(first.getByRole('img')).toHaveCount(1);
  await expect(first.getByRole('img')).toHaveJSProperty('complete', true);
  expect(
    await first.getByRole('img').evaluate((each: HTMLImageElement) => each.naturalWidth),
  ).toBeGreaterThan(0);
  const second = card(page, 'Number 2?');
  await expect(second.getByText('Option A')).toBeVisible();
  await expect(second.getByText('Option B')).toBeVisible();
  await expect(second.getByRole('img')).toHaveCount(0);
});
