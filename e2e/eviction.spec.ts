import { expect, type Page } from '@playwright/test';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, expectImages, newName } from './testing/user-actions.ts';

/** Removes the app's databases. When a browser evicts storage, it also removes caches and service worker, but no cookies. */
async function evict(page: Page, origin = new URL(page.url()).origin): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
}

/** Casts a vote offline, closes the app and evicts its storage. */
async function loseVote(newUser: NewUser): Promise<Page> {
  const question = newName('Keep');
  const { page: maker } = await newUser();
  await register(maker, newName('mina'));
  await postPoll(maker, question);
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('silas'));
  await expectImages(card(page, question));
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'This' }).click();
  // The cookie, which survives the eviction, has the user's id and the number of waiting changes.
  await expect.poll(() => page.evaluate(() => document.cookie)).toMatch(/waiting=\d+\.1(;|$)/);

  const { origin } = new URL(page.url());
  await page.goto('about:blank');
  await evict(page, origin);
  await page.context().setOffline(false);
  return page;
}

test('the outbox reports once that an eviction of the storage has lost a waiting vote', {
  tag: '@core',
}, async ({ newUser }) => {
  const page = await loseVote(newUser);
  await page.goto('/outbox');
  await expect(
    page.getByRole('status').getByText('1 change waiting on this device is lost.', { exact: true }),
  ).toBeVisible();
  // The loss is reported only once.
  await page.reload();
  await expect(page.getByText('Nothing is waiting')).toBeVisible();
  await expect(page.getByText('waiting on this device')).toHaveCount(0);
});

test('the loss of a waiting vote is reported even if the session has ended in the meantime', async ({
  newUser,
}) => {
  const page = await loseVote(newUser);
  // The cookie of the session.
  await page.context().clearCookies({ name: 'sid' });
  await page.goto('/home');
  await expect(page.getByText('1 change waiting on this device is lost.', { exact: true })).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.cookie)).toMatch(/waiting=\d+\.0(;|$)/);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('waiting on this device')).toHaveCount(0);
});

test('a vote cast after the storage of an open tab was evicted is shown and sent', async ({ newUser }) => {
  const question = 'Again or never?';
  const { page: maker } = await newUser();
  await register(maker, newName('nora'));
  await postPoll(maker, question);
  const { page } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(page, newName('uma'));
  await expectImages(card(page, question));
  await evict(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await card(page, question).getByRole('button', { name: 'This' }).click();
  await expect(card(page, question).getByText('100%')).toBeVisible();
});
