import { expect } from '@playwright/test';
import { RESPONSES_MIN } from '#shared/polls/constants.ts';
import { voteAsNewUsers } from './testing/crowd.ts';
import { deleteCachedPoll } from './testing/device-db.ts';
import { SMALLEST } from './testing/screens.ts';
import {
  DRAFT_STORED_WITHIN_MS,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, changeRow, createPoll, expectImages, logIn, newName, points } from './testing/user-actions.ts';

/** The sides of each half of a thumbnail that is 100 px wide and has a gap of 2 px. */
const HALF_PX = 49;

test('a poll created offline survives closing the page, and is created once although the response was lost', {
  tag: '@core',
}, async ({ newUser }) => {
  const question = 'Lake or forest?';
  // Requests of the service worker would bypass the route that loses the response.
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  const context = page.context();
  await registerAndOpenHome(page, newName('lars'));
  monitor.expectNetworkErrors();
  // The dialog's chunks have to be loaded before the device goes offline.
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await page.getByRole('button', { name: 'Close' }).click();

  await test.step('the poll is created offline and waits', async () => {
    await context.setOffline(true);
    await createPoll(page, {
      question,
      captions: ['Lake', 'Forest'],
      message: 'Saved on this device',
    });
    await expect(card(page, question)).toContainText('Waiting to sync');
    await expect(points(page)).toHaveText('10−10');
  });

  await page.close();
  const keys: (string | undefined)[] = [];
  let isUnreachable = true;
  await context.route('**/api/**', async (route) => {
    if (isUnreachable) return route.abort('connectionfailed');
    const request = route.request();
    if (request.method() !== 'POST' || !request.url().endsWith('/api/questions')) return route.continue();
    keys.push(request.headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    // The server creates the poll, but the response is lost.
    const response = await route.fetch();
    expect(response.status()).toBe(201);
    return route.abort('connectionreset');
  });
  await context.setOffline(false);
  const reopened = await context.newPage();

  await test.step('its page says when its link comes', async () => {
    await reopened.goto('/my-polls');
    await card(reopened, question).getByRole('link').first().click();
    await expect(reopened.getByText('The link comes once the poll is posted.')).toBeVisible();
  });

  await test.step('the outbox shows the poll with its images', async () => {
    await reopened.goto('/outbox');
    await expect(reopened.getByRole('heading', { name: 'Waiting to sync · 1' })).toBeVisible();
    await expect(changeRow(reopened, question)).toContainText('Your poll · costs 10 points');
    await expect(changeRow(reopened, question).getByRole('img')).toHaveCount(2);
    await expectImages(changeRow(reopened, question));
  });

  await test.step('the poll is created once', async () => {
    isUnreachable = false;
    await expect(reopened.getByText('Nothing is waiting')).toBeVisible({ timeout: 30_000 });
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    await expect(points(reopened)).toHaveText('0');
    const ownPolls = await reopened.request.get('/api/user/questions');
    expect(await ownPolls.json()).toHaveLength(1);
  });
});

test('the placeholders of missing images fit the thumbnail of a waiting vote', async ({ newUser }) => {
  const question = 'Rocket or submarine?';
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  await register(maker, newName('rolf'));
  await postPoll(maker, question);
  const { page, monitor } = await newUser({ viewport: SMALLEST, serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  await page.route('**/uploads/**', (route) => route.abort('connectionfailed'));
  await page.route('**/vote', (route) => route.abort('connectionfailed'));
  await registerAndOpenHome(page, newName('ruth'));
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect(card(page, question)).toContainText('Waiting to sync');
  await page.goto('/outbox');
  const halves = changeRow(page, question).locator('.pair-half');
  await expect(halves.locator('.letter').last()).toBeVisible();
  for (const half of await halves.all()) {
    const size = await half.evaluate((element) => ({
      width: element.scrollWidth,
      height: element.scrollHeight,
      isSquare: element.clientWidth === element.clientHeight,
    }));
    expect(size).toEqual({ width: HALF_PX, height: HALF_PX, isSquare: true });
  }
});

test('a waiting vote for a poll that has completed is refused with a reason, and its point is removed', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const question = 'Early or late?';
  const { page: maker } = await newUser();
  const { page, monitor } = await newUser();
  await register(maker, newName('olga'));
  const poll = await postPoll(maker, question, { captions: ['Early', 'Late'] });
  await registerAndOpenHome(page, newName('paul'));
  await expectImages(card(page, question));

  monitor.expectNetworkErrors();
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'Late' }).click();
  await expect(points(page)).toHaveText('10+1');
  await voteAsNewUsers(server, poll.id, RESPONSES_MIN, 1);
  monitor.expectStatus(409, /\/vote$/);
  await page.context().setOffline(false);
  await expect(points(page)).toHaveText('10');

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Outbox' }).click();
  await expect(page.getByRole('heading', { name: 'Needs attention · 1' })).toBeVisible();
  await expect(changeRow(page, question)).toContainText('Vote not counted');
  await expect(changeRow(page, question)).toContainText('The poll closed before your vote for Late arrived.');

  await changeRow(page, question).getByRole('link', { name: 'See results' }).click();
  await expect(page).toHaveURL(new RegExp(`/poll/${poll.id}$`));
  await expect(page.getByText('100%')).toBeVisible();
  await page.goBack();
  await changeRow(page, question).getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
});

test('a waiting vote can be discarded', async ({ newUser }) => {
  const question = 'Stay or go?';
  const { page: maker } = await newUser();
  const { page, monitor } = await newUser();
  await register(maker, newName('quentin'));
  await postPoll(maker, question, { captions: ['Stay', 'Go'] });
  await registerAndOpenHome(page, newName('rosa'));
  await expectImages(card(page, question));
  monitor.expectNetworkErrors();
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'Go' }).click();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Outbox' }).click();
  await expect(changeRow(page, question)).toContainText('Your vote');
  await page.getByRole('button', { name: `Discard: ${question}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await expect(points(page)).toHaveText('10');
});

test('the poll of a waiting vote that is no longer on the device is fetched once the server is reachable', async ({
  newUser,
}) => {
  const question = 'Here or gone?';
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  await register(maker, newName('theo'));
  const { id } = await postPoll(maker, question);
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  await page.route('**/vote', (route) => route.abort('connectionfailed'));
  await registerAndOpenHome(page, newName('tina'));
  // The poll may be among the trending ones, too.
  const pollCard = card(page, question).last();
  await pollCard.getByRole('button', { name: 'This' }).click();
  await expect(pollCard).toContainText('Waiting to sync');
  const { id: userId } = await (await page.request.get('/api/user')).json();
  await page.route('**/api/**', (route) => route.abort('connectionfailed'));
  await page.goto('/outbox');
  await expect(changeRow(page, question)).toBeVisible();
  await deleteCachedPoll(page, userId, id);
  await page.reload();
  await expect(changeRow(page, question)).toBeVisible();
  await expect(changeRow(page, question).getByRole('img')).toHaveCount(0);
  await expect(page.getByText('Connection Issue')).toBeVisible();
  await page.unroute('**/api/**');
  await expect(changeRow(page, question).getByRole('img')).toHaveCount(2, { timeout: 30_000 });
});

test('a refused poll can be edited, and Back closes the form and keeps the input', async ({ newUser }) => {
  const question = 'Rich or poor?';
  const name = newName('sina');
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, name);
  monitor.expectNetworkErrors();
  // The dialog's chunks have to be loaded before the device goes offline.
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await createPoll(page, { question, captions: ['Rich', 'Poor'], message: 'Saved on this device' });

  const { page: otherDevice } = await newUser();
  await otherDevice.goto('/auth?next=%2Fhome');
  await logIn(otherDevice, name);
  await createPoll(otherDevice, { question: 'First or second?', captions: ['First', 'Second'] });
  monitor.expectStatus(402, /\/api\/questions$/);
  await page.context().setOffline(false);
  // The point for the second login.
  await expect(points(page)).toHaveText('1');

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Outbox' }).click();
  const form = page.getByRole('dialog', { name: 'Edit Poll' });
  await changeRow(page, question).getByRole('button', { name: 'Edit' }).click();
  await expect(form.getByLabel('Question')).toHaveValue(question);
  await form.getByLabel('Question').fill('Richer or poorer?');
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  await page.goBack();
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/\/outbox$/);
  await changeRow(page, question).getByRole('button', { name: 'Edit' }).click();
  await expect(form.getByLabel('Question')).toHaveValue('Richer or poorer?');
  await form.getByRole('button', { name: 'Close' }).click();
  await expect(form).toBeHidden();
});
