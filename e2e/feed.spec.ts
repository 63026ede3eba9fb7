import { expect } from '@playwright/test';
import { MINUTE_MS } from '#shared/time.ts';
import { readQueue, setFeedFetchedAt, updateCachedPoll } from './testing/device-db.ts';
import { respondWithError } from './testing/fake-feed.ts';
import { PHONE, waitTwoFrames, watchSocket } from './testing/screens.ts';
import {
  logInAsOwner,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, createPoll, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** More than the five minutes after which Refresh says that there may be new polls. */
const OUTDATED_AGE_MS = 6 * MINUTE_MS;

test('after five minutes, Refresh says that there may be new polls, but only shows them when pressed', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('emil'));
  await postPoll(maker, 'Old or older?', { captions: ['Old', 'Older'] });
  const { page, monitor } = await newUser();
  const frida = await registerAndOpenHome(page, newName('frida'));
  await expect(card(page, 'Old or older?')).toBeVisible();
  const refresh = page.getByRole('button', { name: /^Refresh/ });
  const becomeVisible = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await becomeVisible();
  await expect(refresh).toHaveAccessibleName('Refresh');

  const { page: otherPage } = await newUser();
  await register(otherPage, newName('gesa'));
  await postPoll(otherPage, 'New or newer?', { captions: ['New', 'Newer'] });
  await setFeedFetchedAt(page, frida.id, Date.now() - OUTDATED_AGE_MS);
  await becomeVisible();
  await expect(refresh).toHaveAccessibleName('Refresh, there may be new polls');
  await expect(card(page, 'New or newer?')).toHaveCount(0);

  await refresh.click();
  await expect(card(page, 'New or newer?')).toBeVisible();
  await expect(refresh).toHaveAccessibleName('Refresh');

  await test.step('after an outage, the age is checked without leaving the page', async () => {
    monitor.expectNetworkErrors();
    await page.context().setOffline(true);
    await setFeedFetchedAt(page, frida.id, Date.now() - OUTDATED_AGE_MS);
    await page.context().setOffline(false);
    await expect(refresh).toHaveAccessibleName('Refresh, there may be new polls');
  });
});

test('an error in one screen leaves the other screens usable', async ({ newUser }) => {
  const question = 'Whole or broken?';
  const { page, monitor } = await newUser();
  monitor.expectUncaughtError(/properties of null/);
  const henri = await registerAndOpenHome(page, newName('henri'));
  await createPoll(page, { question, captions: ['Whole', 'Broken'] });
  const [poll] = await (await page.request.get('/api/user/questions')).json();
  await page.goto('/points');
  await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();

  // The Polls tab throws an error when it renders a poll without a list of votes.
  await updateCachedPoll(page, henri.id, poll.id, { votes: null });
  await page.locator('#bottom-nav').getByRole('link', { name: 'Polls' }).click();
  await expect(page.getByRole('heading', { name: 'Something broke here' })).toBeVisible();
  await expect(points(page)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Application Error' })).toHaveCount(0);
  await page.locator('#bottom-nav').getByRole('link', { name: 'Points' }).click();
  await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();
});

test('the page of a poll that does not exist has a link back to the polls and no Share button', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await register(page, newName('kaja'));
  monitor.expectStatus(404, /\/api\/questions\//);
  await page.goto('/poll/00000000-0000-4000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'This poll is gone' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Share' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Back to the polls' }).click();
  await expect(page).toHaveURL(/\/home$/);
});

test('the open page of a poll says that the poll is gone when it is deleted', async ({ newUser, server }) => {
  const { page, monitor } = await newUser();
  await register(page, newName('kuno'));
  const { id } = await postPoll(page, 'Keep or toss?');
  const socket = await watchSocket(page);
  await page.goto(`/poll/${id}`);
  await expect(page.getByRole('heading', { name: 'Keep or toss?' })).toBeVisible();
  // The deletion is known from a live update.
  await socket.isOpen;

  const { page: adminPage } = await newUser();
  await logInAsOwner(adminPage, server);
  monitor.expectStatus(404, /\/api\/questions\//);
  expect((await adminPage.request.delete(`/api/admin/polls/${id}`)).status()).toBe(200);
  await expect(page.getByRole('heading', { name: 'This poll is gone' })).toBeVisible();
});

test('the page of a poll that is not stored says whether the server is unreachable or could not send the poll', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ viewport: PHONE });
  await register(page, newName('kim'));
  const id = '00000000-0000-4000-8000-000000000000';
  const url = `**/api/questions/${id}`;
  for (const status of [500, 404]) monitor.expectStatus(status, /\/api\/questions\//);
  monitor.expectNetworkErrors();
  await page.route(url, respondWithError);
  await page.goto(`/poll/${id}`);
  await expect(page.getByRole('heading', { name: 'Error loading the poll' })).toBeVisible();
  await expect(page.getByText('Please try again later.')).toBeVisible();
  await expect(page.getByRole('banner').getByRole('button', { name: 'Share' })).toBeHidden();
  await page.unroute(url);
  await page.route(url, (route) => route.abort());
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(
    page.getByText('The server cannot be reached, and this poll is not stored here.'),
  ).toBeVisible();
  await page.unroute(url);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'This poll is gone' })).toBeVisible();
});

test('a poll that was opened without a connection is shown once the server is reachable again', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'allow' });
  await register(page, newName('kira'));
  // This screen does not load the feed, which would contain the poll.
  await page.goto('/points');
  await waitForServiceWorker(page);
  const { page: maker } = await newUser();
  await register(maker, newName('karl'));
  const { id, question } = await postPoll(maker, newName('Now or never?'));
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.goto(`/poll/${id}`);
  await expect(page.getByRole('heading', { name: 'Not on this device' })).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: question })).toBeVisible();
});

/** Opens a long feed in a low window. */
async function openLongFeed(newUser: NewUser) {
  const { page } = await newUser({ viewport: { width: 375, height: 300 } });
  await registerAndOpenHome(page, newName('lone'));
  await createPoll(page, { question: newName('Hill or valley?'), captions: ['Up', 'Down'] });
  await page.evaluate(() => document.querySelector('main')?.style.setProperty('min-height', '2000px'));
  const backToTop = page.getByRole('button', { name: 'Back to top' });
  return { page, backToTop, scrollTo: (y: number) => page.evaluate((top) => window.scrollTo(0, top), y) };
}

test('after scrolling down by more than 500 px, Back to top returns to the top of the feed', async ({
  newUser,
}) => {
  const { page, backToTop, scrollTo } = await openLongFeed(newUser);
  await scrollTo(500);
  await waitTwoFrames(page);
  await expect(backToTop).toHaveCount(0);
  await scrollTo(501);
  await backToTop.click();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});

test('Back to top is in the header, where it covers no card and needs no second row', async ({ newUser }) => {
  const { page, backToTop, scrollTo } = await openLongFeed(newUser);
  for (const width of [320, 375, 769, 1280]) {
    await page.setViewportSize({ width, height: 300 });
    await scrollTo(1_000);
    await expect(backToTop).toBeInViewport();
    const isInHeader = await backToTop.evaluate((button) => {
      const inner = button.getBoundingClientRect();
      const header = button.closest('header')?.getBoundingClientRect();
      return header !== undefined && inner.top >= header.top && inner.bottom <= header.bottom;
    });
    expect(isInHeader, `in the header at ${width} px`).toBe(true);
    const header = await page.getByRole('banner').boundingBox();
    expect(header?.height, `height of the header at ${width} px`).toBeLessThan(90);
  }
});

test('a start reads the stored polls once before the server responds', async ({ newUser }) => {
  const { page } = await newUser();
  await register(page, newName('greta'));
  await postPoll(page, 'Once or twice?');
  await page.goto('/home');
  await expect(card(page, 'Once or twice?')).toBeVisible();
  await page.addInitScript(() => {
    const { transaction } = IDBDatabase.prototype;
    Reflect.set(window, 'readCount', 0);
    IDBDatabase.prototype.transaction = function (stores, ...rest) {
      // Only the Polls tab reads these two stores together. At the start Dexie also opens a transaction on all stores.
      const names = typeof stores === 'string' ? [stores] : [...stores];
      const isRead = rest[0] === 'readonly' && !names.includes('mine');
      if (isRead && names.includes('trending') && names.includes('hidden'))
        Reflect.set(window, 'readCount', Reflect.get(window, 'readCount') + 1);
      return transaction.call(this, stores, ...rest);
    };
  });
  // Never responds.
  await page.route(/\/api\//, () => {});
  await page.reload();
  await expect(card(page, 'Once or twice?')).toBeVisible();
  // The feed's request follows the first read.
  await expect(page.getByRole('button', { name: 'Refresh' })).toHaveAttribute('aria-disabled', 'true');
  await waitTwoFrames(page);
  expect(await page.evaluate(() => Reflect.get(window, 'readCount'))).toBe(1);
});

test('a vote is stored at once while the session check of the start waits for the server', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  await register(maker, newName('hedi'));
  const { id, question } = await postPoll(maker, newName('Store'));
  const { page } = await newUser();
  const greta = await registerAndOpenHome(page, newName('greta'));
  await expect(card(page, question)).toBeVisible();
  // Never responds. The session check gives up after 15 s.
  await page.route(/\/api\//, () => {});
  await page.reload();
  await card(page, question).getByRole('button', { name: 'That' }).click();
  await expect
    .poll(async () => (await readQueue(page, greta.id)).ops, { timeout: 10_000 })
    .toMatchObject([{ type: 'vote', entityId: id }]);
});
