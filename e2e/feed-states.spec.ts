import { expect } from '@playwright/test';
import { HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { setFeedFetchedAt, storedSnapshot } from './testing/device-db.ts';
import {
  copyOfPoll,
  createTemplatePoll,
  FEED_URL,
  feedPage,
  respondWith,
  respondWithError,
  TRENDING_URL,
} from './testing/fake-feed.ts';
import { PHONE, waitTwoFrames } from './testing/screens.ts';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const ERROR = 'Error loading polls. Please try again later.';

test('the feed says when it is loading, has failed or is empty', { tag: '@core' }, async ({ newUser }) => {
  const { page, monitor } = await newUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, async (route) => {
    await released;
    await respondWithError(route);
  });
  monitor.expectStatus(500, /\/api\/questions/);
  await registerAndOpenHome(page, newName('anton'));
  await expect(page.getByText('Loading polls', { exact: true })).toBeAttached();
  release();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await expect(page.getByText('Loading polls', { exact: true })).toHaveCount(0);

  await page.unroute(FEED_URL);
  await page.route(FEED_URL, respondWith(feedPage([])));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Be the first to create a poll!')).toBeVisible();
  await page.getByRole('button', { name: 'Create a Poll', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Create Poll' })).toBeVisible();
});

test('while its requests are lost, an empty feed that is out of date is requested at intervals, not continuously', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([])));
  const { id } = await registerAndOpenHome(page, newName('anna'));
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  let requests = 0;
  monitor.expectNetworkErrors();
  await page.route(FEED_URL, (route) => {
    requests += 1;
    return route.abort('connectionrefused');
  });
  await setFeedFetchedAt(page, id, 0);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => requests).toBe(1);
  await page.waitForTimeout(1_000);
  expect(requests).toBe(1);
  await expect.poll(() => requests, { timeout: 2 * HEALTH_INTERVAL_MS }).toBe(2);
});

test('a failed Refresh shows an error and keeps the polls on the screen', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectStatus(500, /\/api\/questions/);
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await registerAndOpenHome(page, newName('bruno'));
  await expect(card(page, 'Number 1?')).toBeVisible();
  await page.route(FEED_URL, respondWithError);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await expect(card(page, 'Number 1?')).toBeVisible();
  await page.unroute(FEED_URL, respondWithError);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(card(page, 'Number 1?')).toBeVisible();
});

test('trending polls that fail to load are left out without an error', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectStatus(500, /\/api\/trending/);
  await page.route(TRENDING_URL, respondWithError);
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await registerAndOpenHome(page, newName('berta'));
  await expect(card(page, 'Number 1?')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Top 2 Trending Polls' })).toHaveCount(0);
  await expect(page.getByText(ERROR)).toHaveCount(0);
  await expect(page.getByText('No more polls to load.')).toBeVisible();
});

test('the two polls with the most votes are shown above the latest polls, and not among them', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  const [one, two, three] = [1, 7, 5].map((votesCount, index) => copyOfPoll(poll, index + 1, { votesCount }));
  if (one === undefined || two === undefined || three === undefined)
    throw new Error('There are not three polls.');
  const requested: string[] = [];
  await page.route(TRENDING_URL, (route) => {
    expect(new URL(route.request().url()).search).toBe('?limit=2&metrics=true&minVotes=1');
    return route.fulfill({ json: [one, three, two] });
  });
  await page.route(FEED_URL, (route) => {
    requested.push(new URL(route.request().url()).search);
    return route.fulfill({ json: feedPage([one, two, three]) });
  });
  await registerAndOpenHome(page, newName('carla'));
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Number 2?', 'Number 3?', 'Number 1?']);
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Top 2 Trending Polls', 'Latest Polls']);
  const trending = page.locator('section').filter({ hasText: 'Top 2 Trending Polls' });
  await expect(trending.getByRole('article')).toHaveCount(2);
  await expect(card(page, 'Number 1?')).toContainText('1 vote');
  await expect(card(page, 'Number 2?')).toContainText('7 votes');

  await test.step('coming back to the Polls tab loads the first page again', async () => {
    expect(requested).toEqual(['?limit=24&offset=0&includeCount=true']);
    await page.getByRole('tab', { name: 'Refer & Earn' }).click();
    await expect(page.getByRole('heading', { name: 'Bring a friend' })).toBeVisible();
    await page.getByRole('tab', { name: 'Polls' }).click();
    await expect.poll(() => requested.length).toBe(2);
    expect(requested[1]).toBe(requested[0]);
  });
  await test.step('so does Polls in the bottom navigation', async () => {
    await page.setViewportSize(PHONE);
    await page.getByRole('tab', { name: 'Refer & Earn' }).click();
    await expect(page.getByRole('heading', { name: 'Bring a friend' })).toBeVisible();
    await page.getByRole('navigation').getByRole('link', { name: 'Polls' }).click();
    await expect.poll(() => requested.length).toBe(3);
  });
});

test('a next page that fails to load is logged and fetched again, without an error on the screen', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  const logged: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') logged.push(message.text());
  });
  monitor.expectStatus(500, /cursor=next/);
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, (route) =>
    route.request().url().includes('cursor=next')
      ? respondWithError(route)
      : route.fulfill({ json: feedPage([copyOfPoll(poll, 1)], 'next') }),
  );
  await registerAndOpenHome(page, newName('dina'));
  await expect.poll(() => logged.join()).toContain('The next page of polls could not be loaded');
  await expect(card(page, 'Number 1?')).toBeVisible();
  await expect(page.getByText(ERROR)).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByText('No more polls to load.')).toHaveCount(0);

  await page.unroute(FEED_URL);
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 2)])));
  await expect(card(page, 'Number 2?')).toBeVisible();
  await expect(page.getByText('No more polls to load.')).toBeVisible();
});

test('without any polls, the Polls tab and Explore suggest creating the first one', async ({ newUser }) => {
  const { page } = await newUser();
  await page.route('**/api/explore?*', (route) => route.fulfill({ json: { data: [], nextCursor: null } }));
  await page.route(FEED_URL, respondWith(feedPage([])));
  await page.route(TRENDING_URL, respondWith([]));
  await registerAndOpenHome(page, newName('dario'));
  for (const path of ['/home', '/explore']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
    await expect(page.getByText('Be the first to create a poll!')).toBeVisible();
  }
});

test('My Polls says when it is loading or has failed, and a poll can be created in both cases', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/user/questions', async (route) => {
    await released;
    await respondWithError(route);
  });
  await register(page, newName('gerda'));
  await page.goto('/my-polls');
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await expect(page.getByText('Loading polls', { exact: true })).toBeAttached();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Loading polls', { exact: true })).toBeAttached();
  monitor.expectStatus(500, /\/api\/user\/questions/);
  release();
  await expect(page.getByRole('alert')).toHaveText(ERROR);
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeVisible();
});

test('My Polls loads its polls once the server is reachable again', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('gitta'));
  monitor.expectNetworkErrors();
  for (const url of ['**/api/user/questions', '**/api/health'])
    await page.route(url, (route) => route.abort('connectionrefused'));
  await page.goto('/my-polls');
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
  await page.unroute('**/api/user/questions');
  await page.unroute('**/api/health');
  await expect(page.getByText('No polls created yet')).toBeVisible({ timeout: 30_000 });
});

test('a first visit while the server is unreachable says that no polls are stored, and they load once it is reachable', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, (route) => route.abort('connectionrefused'));
  await page.route('**/api/health', (route) => route.abort('connectionrefused'));
  await registerAndOpenHome(page, newName('emil'));
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
  // The feed first: otherwise it could be requested in between, fail, and be requested again only after another health check.
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await page.unroute('**/api/health');
  await expect(card(page, 'Number 1?')).toBeVisible({ timeout: 30_000 });
});

test('an empty feed of an earlier visit is shown as empty only once it was loaded again', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  // Not a heading: those in the snapshot are hidden from screen readers, but visible.
  const noPolls = page.getByText('No polls yet');
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([])));
  await registerAndOpenHome(page, newName('elsa'));
  await expect(noPolls).toBeVisible();
  await expect.poll(() => storedSnapshot(page)).toContain('No polls yet');

  await test.step('while it is loading, it is not', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(FEED_URL, async (route) => {
      await released;
      await respondWith(feedPage([]))(route);
    });
    const requested = page.waitForRequest(FEED_URL);
    await page.reload();
    await requested;
    await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible();
    await expect(page.getByText('Loading polls', { exact: true })).toBeVisible();
    await expect(noPolls).toHaveCount(0);
    release();
    await expect(noPolls).toBeVisible();
  });
  await test.step('a loss of the connection changes nothing', async () => {
    monitor.expectNetworkErrors();
    const createButton = page.getByRole('button', { name: 'Create a Poll', exact: true });
    await createButton.focus();
    await page.context().setOffline(true);
    await page.waitForFunction(() => !navigator.onLine);
    await waitTwoFrames(page);
    await expect(createButton).toBeFocused();
    await expect(noPolls).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.context().setOffline(false);
  });
  await test.step('without a connection, it is not', async () => {
    for (const url of [FEED_URL, '**/api/health'])
      await page.route(url, (route) => route.abort('connectionrefused'));
    await page.reload();
    await expect(page.getByRole('alert')).toContainText('The rest will load when you are back online.');
    await expect(noPolls).toHaveCount(0);
  });
  await test.step('while the polls arrive, it is not', async () => {
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.body.innerText.includes('No polls yet')) document.body.dataset.hasSaidEmpty = '';
      }).observe(document.body, { subtree: true, childList: true });
    });
    await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
    await page.unroute('**/api/health');
    await expect(card(page, 'Number 1?')).toBeVisible({ timeout: 30_000 });
    await expect(page.locator('[data-has-said-empty]')).toHaveCount(0);
  });
});

test('when the last poll is gone, the feed is empty at once, without skeletons and a further request', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page } = await newUser();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await registerAndOpenHome(page, newName('otis'));
  await expect(card(page, 'Number 1?')).toBeVisible();
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.body.textContent?.includes('Loading polls')) document.body.dataset.hasSaidLoading = '';
    }).observe(document.body, { subtree: true, childList: true });
  });
  let requests = 0;
  await page.route(FEED_URL, (route) => {
    requests += 1;
    return respondWith(feedPage([]))(route);
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('No polls yet')).toBeVisible();
  await expect(page.locator('[data-has-said-loading]')).toHaveCount(0);
  expect(requests).toBe(1);
});

test('a first page whose request is lost is fetched again', async ({ newUser }) => {
  const { page: maker } = await newUser();
  const poll = await createTemplatePoll(maker);
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await page.route(TRENDING_URL, respondWith([]));
  await page.route(FEED_URL, (route) => route.abort('connectionrefused'));
  await registerAndOpenHome(page, newName('emil'));
  await expect(page.getByRole('alert')).toContainText('Not on this device yet');
  await page.route(FEED_URL, respondWith(feedPage([copyOfPoll(poll, 1)])));
  await expect(card(page, 'Number 1?')).toBeVisible({ timeout: 30_000 });
});
