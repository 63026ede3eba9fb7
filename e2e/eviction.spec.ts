import { expect, type Page } from '@playwright/test';
import { card, expectImages, newName } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import type { Watch } from './testing/watch.ts';

/** Removes the databases of the app as a browser does that runs short of room; cookies stay. */
async function evict(page: Page, origin = new URL(page.url()).origin): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
}

/** Casts a vote without a network, closes the app, and has the browser remove what the app has kept. */
async function loseVote(newPerson: () => Promise<{ page: Page; watch: Watch }>): Promise<Page> {
  const question = newName('Keep');
  const { page: maker } = await newPerson();
  await register(maker, newName('mina'));
  await postPoll(maker, question);
  const { page, watch } = await newPerson();
  await joinIn(page, newName('sid'));
  await expectImages(card(page, question));
  await untilKept(page);
  watch.expectLosses();
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect.poll(() => page.evaluate(() => document.cookie)).toMatch(/waiting=\d+\.1(;|$)/);

  const { origin } = new URL(page.url());
  await page.goto('about:blank');
  await evict(page, origin);
  await page.context().setOffline(false);
  return page;
}

test('what the browser removes before it was sent is told as lost, with its number', async ({
  newPerson,
}) => {
  const page = await loseVote(newPerson);
  await page.goto('/outbox');
  await expect(
    page.getByRole('status').getByText('1 change that waited on this device is lost.', { exact: true }),
  ).toBeVisible();
  // From here on there is nothing to tell any more.
  await page.reload();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await expect(page.getByText('waited on this device')).toHaveCount(0);
});

test('it is told too where the session has ended meanwhile', async ({ newPerson }) => {
  const page = await loseVote(newPerson);
  await page.context().clearCookies({ name: 'sid' });
  await page.goto('/home');
  await expect(page.getByText('1 change that waited on this device is lost.', { exact: true })).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.cookie)).toMatch(/waiting=\d+\.0(;|$)/);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('waited on this device')).toHaveCount(0);
});

test('a vote that is cast after the browser has removed the data of an open tab is shown and sent', async ({
  newPerson,
}) => {
  const question = 'Again or never?';
  const { page: maker } = await newPerson();
  await register(maker, newName('nora'));
  await postPoll(maker, question);
  const { page } = await newPerson();
  await joinIn(page, newName('uma'));
  await expectImages(card(page, question));
  await evict(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect(card(page, question).getByText('100%')).toBeVisible();
});
