import { expect } from '@playwright/test';
import { breaks, FEED, gives, numbered, pageOf, somePoll, TRENDING } from './testing/fake-feed.ts';
import { card, newName } from './testing/people.ts';
import { joinIn, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

const ERROR = 'Error loading polls. Please try again later.';

test('a feed that is loading, fails and is empty says so', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(TRENDING, gives([]));
  await page.route(FEED, async (route) => {
    await asked;
    await breaks(route);
  });
  watch.expectStatus(500, /\/api\/questions/);
  await joinIn(page, newName('anton'));
  await expect(page.getByText('Loading polls', { exact: true })).toBeAttached();
  goOn();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await expect(page.getByText('Loading polls', { exact: true })).toHaveCount(0);

  await page.unroute(FEED);
  await page.route(FEED, gives(pageOf([])));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Be the first to create a poll!')).toBeVisible();
  await page.getByRole('button', { name: 'Create a Poll', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Create Poll' })).toBeVisible();
});

test('a Refresh that fails says so and keeps the polls that are there', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  watch.expectStatus(500, /\/api\/questions/);
  await page.route(TRENDING, gives([]));
  await page.route(FEED, gives(pageOf([numbered(poll, 1)])));
  await joinIn(page, newName('bruno'));
  await expect(card(page, 'Number 1?')).toBeVisible();
  await page.route(FEED, breaks);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await expect(card(page, 'Number 1?')).toBeVisible();
  await page.unroute(FEED, breaks);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(card(page, 'Number 1?')).toBeVisible();
});

test('trending polls that fail to load are left out without a word', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  watch.expectStatus(500, /\/api\/trending/);
  await page.route(TRENDING, breaks);
  await page.route(FEED, gives(pageOf([numbered(poll, 1)])));
  await joinIn(page, newName('berta'));
  await expect(card(page, 'Number 1?')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Top 2 Trending Polls' })).toHaveCount(0);
  await expect(page.getByText(ERROR)).toHaveCount(0);
  await expect(page.getByText('No more polls to load.')).toBeVisible();
});

test('the two polls with the most votes stand above the latest, and not among them', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page } = await newPerson();
  const [one, two, three] = [1, 7, 5].map((votesCount, at) => numbered(poll, at + 1, { votesCount }));
  if (one === undefined || two === undefined || three === undefined) throw new Error('three polls');
  const asked: string[] = [];
  await page.route(TRENDING, (route) => {
    expect(new URL(route.request().url()).search).toBe('?limit=2&metrics=true&minVotes=1');
    return route.fulfill({ json: [one, three, two] });
  });
  await page.route(FEED, (route) => {
    asked.push(new URL(route.request().url()).search);
    return route.fulfill({ json: pageOf([one, two, three]) });
  });
  await joinIn(page, newName('carla'));
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Number 2?', 'Number 3?', 'Number 1?']);
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Top 2 Trending Polls', 'Latest Polls']);
  const trending = page.locator('section').filter({ hasText: 'Top 2 Trending Polls' });
  await expect(trending.getByRole('article')).toHaveCount(2);
  await expect(card(page, 'Number 1?')).toContainText('1 vote');
  await expect(card(page, 'Number 2?')).toContainText('7 votes');

  await test.step('coming back to the Polls tab loads the first page again', async () => {
    expect(asked).toEqual(['?limit=24&offset=0&includeCount=true']);
    await page.getByRole('tab', { name: 'Refer & Earn' }).click();
    await expect(page.getByRole('heading', { name: 'Bring a friend' })).toBeVisible();
    await page.getByRole('tab', { name: 'Polls' }).click();
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toBe(asked[0]);
  });
});

test('a next page that does not come is logged, not told, and asked for again', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  const logged: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') logged.push(message.text());
  });
  watch.expectStatus(500, /cursor=next/);
  await page.route(TRENDING, gives([]));
  await page.route(FEED, (route) =>
    route.request().url().includes('cursor=next')
      ? breaks(route)
      : route.fulfill({ json: pageOf([numbered(poll, 1)], 'next') }),
  );
  await joinIn(page, newName('dina'));
  await expect.poll(() => logged.join()).toContain('The next page of polls could not be loaded');
  await expect(card(page, 'Number 1?')).toBeVisible();
  await expect(page.getByText(ERROR)).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByText('No more polls to load.')).toHaveCount(0);

  await page.unroute(FEED);
  await page.route(FEED, gives(pageOf([numbered(poll, 2)])));
  await expect(card(page, 'Number 2?')).toBeVisible();
  await expect(page.getByText('No more polls to load.')).toBeVisible();
});

test('own polls that are loading or fail say so, and there is a way to make one', async ({ newPerson }) => {
  const { page, watch } = await newPerson();
  const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
  await page.route('**/api/user/questions', async (route) => {
    await asked;
    await breaks(route);
  });
  await register(page, newName('gerda'));
  await page.goto('/my-polls');
  await expect(page.getByText('Loading polls', { exact: true })).toBeAttached();
  watch.expectStatus(500, /\/api\/user\/questions/);
  goOn();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByRole('dialog', { name: 'Create Poll' })).toBeVisible();
});

test('a first visit without a connection says so, and the polls come with the connection', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await page.route(TRENDING, gives([]));
  await page.route(FEED, (route) => route.abort('connectionrefused'));
  await page.route('**/api/health', (route) => route.abort('connectionrefused'));
  await joinIn(page, newName('emil'));
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
  // The feed first: a request between the two would fail, and the next one waits for another health check.
  await page.route(FEED, gives(pageOf([numbered(poll, 1)])));
  await page.unroute('**/api/health');
  await expect(card(page, 'Number 1?')).toBeVisible({ timeout: 30_000 });
});

test('a first page that gets lost on the way is asked for again', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  const poll = await somePoll(maker);
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await page.route(TRENDING, gives([]));
  await page.route(FEED, (route) => route.abort('connectionrefused'));
  await joinIn(page, newName('emil'));
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
  await page.route(FEED, gives(pageOf([numbered(poll, 1)])));
  await expect(card(page, 'Number 1?')).toBeVisible({ timeout: 30_000 });
});
