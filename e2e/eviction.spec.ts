import { expect, type Page } from '@playwright/test';
import { card, expectPictures, newName } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** Removes the databases of the app as a browser does that runs short of room; cookies stay. */
async function evict(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
}

test('what the browser removes before it was sent is told as lost, with its number', async ({
  newPerson,
}) => {
  const question = 'Keep or lose?';
  const { page: maker } = await newPerson();
  await register(maker, newName('mina'));
  await postPoll(maker, question);
  const { page, watch } = await newPerson();
  await joinIn(page, newName('sid'));
  await expectPictures(card(page, question));
  await untilKept(page);
  watch.expectLosses();
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect.poll(() => page.evaluate(() => document.cookie)).toMatch(/waiting=\d+\.1(;|$)/);

  await page.goto('about:blank');
  await page.goBack();
  await evict(page);
  await page.context().setOffline(false);
  await page.goto('/outbox');
  await expect(page.getByRole('status').getByText('1 change that had not been sent is lost.')).toBeVisible();
  // From here on there is nothing to tell any more.
  await page.reload();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await expect(page.getByText('had not been sent')).toHaveCount(0);
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
  await expectPictures(card(page, question));
  await evict(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect(card(page, question).getByText('100%')).toBeVisible();
});
