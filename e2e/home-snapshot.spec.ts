import { expect, type Page } from '@playwright/test';
import { storedSnapshot } from './testing/device-db.ts';
import { FEED_URL, feedPage, respondWith, respondWithError, TRENDING_URL } from './testing/fake-feed.ts';
import { expectHomeShell, holdMainScript, recordLayoutShifts } from './testing/first-paint.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, logOut, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Longer than a page takes to read the stored snapshot, or to store it. */
const SNAPSHOT_READ_WITHIN_MS = 500;

test('/home shows the snapshot before the app runs, and the layout does not shift when the app starts', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('vera'));
  const question = newName('Seen before?');
  await postPoll(maker, question);
  const { page } = await newUser();
  await register(page, newName('will'));
  // With the vote the poll would move to the trending polls.
  await page.route(TRENDING_URL, respondWith([]));
  await page.goto('/home');
  const card = page.getByRole('article').filter({ hasText: question });
  await card.locator('button[data-option="1"]').click();
  await expect(card).toContainText('100%');
  await expect.poll(() => storedSnapshot(page)).toContain('data-chosen="yes"');
  const boxes = () =>
    page
      .locator('article')
      .evaluateAll((all) =>
        all.slice(0, 3).map((element) => JSON.stringify(element.getBoundingClientRect())),
      );
  const before = await boxes();

  const release = await holdMainScript(page);
  const readShifts = await recordLayoutShifts(page);
  await page.goto('/home', { waitUntil: 'commit' });
  const snapshot = page.locator('#home-snapshot article').filter({ hasText: question });
  await expect(snapshot).toContainText('100%');
  await expect(snapshot).toBeVisible();
  await expect(page.getByText('Loading polls')).toBeHidden();
  expect(await boxes()).toEqual(before);
  await page.screenshot({ path: test.info().outputPath('snapshot.png') });
  // The snapshot is inert and hidden from screen readers.
  await expect(page.getByRole('article')).toHaveCount(0);
  release();
  await expect(card).toContainText('100%');
  await expect(page.locator('#home-snapshot')).toHaveCount(0);
  expect(await boxes()).toEqual(before);
  expect(await readShifts()).toBe(0);
});

/** Registers a user, who creates a poll, and waits until the snapshot contains the poll. */
async function createSnapshot(page: Page, question: string): Promise<void> {
  await register(page, newName('wanda'));
  await postPoll(page, question);
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain(question);
}

test('the snapshot contains a vote even if the user leaves the polls right after it', async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('mary'));
  const question = newName('Left at once?');
  await postPoll(maker, question);
  const { page } = await newUser();
  await register(page, newName('wes'));
  await page.goto('/home');
  const card = page.getByRole('article').filter({ hasText: question }).first();
  await card.locator('button[data-option="1"]').click();
  await expect(card).toContainText('100%');
  await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).first().click();
  await expect.poll(() => storedSnapshot(page)).toContain('data-chosen="yes"');
});

test('the snapshot does not contain the error that the polls could not be loaded', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await createSnapshot(page, 'Still there?');
  monitor.expectStatus(500, /\/api\/questions/);
  await page.route(FEED_URL, respondWithError);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Error loading polls')).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).first().click();
  await page.waitForTimeout(SNAPSHOT_READ_WITHIN_MS);
  expect(await storedSnapshot(page)).toContain('Still there?');
  expect(await storedSnapshot(page)).not.toContain('Error loading polls');
});

test('the snapshot is shown even when it is read before the page has been parsed', async ({ newUser }) => {
  const { page } = await newUser();
  await createSnapshot(page, 'Faster?');
  // Delays the end of parsing, as the scripts see it.
  await page.addInitScript((parsedAfterMs) => {
    Object.defineProperty(document, 'readyState', { configurable: true, value: 'loading' });
    setTimeout(() => {
      Reflect.deleteProperty(document, 'readyState');
      document.dispatchEvent(new Event('readystatechange'));
    }, parsedAfterMs);
  }, SNAPSHOT_READ_WITHIN_MS);
  const release = await holdMainScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expect(page.locator('#home-snapshot')).toContainText('Faster?');
  release();
});

test('the snapshot contains no dialogs, and shows images that cannot be loaded as empty spaces', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await createSnapshot(page, 'With a dialog?');
  const card = page.getByRole('article').filter({ hasText: 'With a dialog?' });
  await card.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Share' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForTimeout(SNAPSHOT_READ_WITHIN_MS);
  expect(await storedSnapshot(page)).not.toContain('<dialog');
  monitor.expectNetworkErrors();
  await page.route('**/uploads/*', (route) => route.abort());
  const release = await holdMainScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  const snapshot = page.locator('#home-snapshot');
  await expect(snapshot).toContainText('With a dialog?');
  await expect(snapshot.locator('img')).toHaveCount(0);
  await expect(
    snapshot.locator('article').filter({ hasText: 'With a dialog?' }).locator('div.pair-image'),
  ).toHaveCount(2);
  release();
});

test('a window with another layout shows skeletons in place of the snapshot', async ({ newUser }) => {
  const { page } = await newUser();
  await createSnapshot(page, 'On a phone?');
  await page.setViewportSize({ width: 1280, height: 800 });
  const release = await holdMainScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await page.waitForTimeout(SNAPSHOT_READ_WITHIN_MS);
  await expect(page.getByText('Loading polls')).toBeVisible();
  await expect(page.getByText('On a phone?')).toHaveCount(0);
  release();
});

test('the snapshot is deleted at a logout, and never shown to another user', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  await register(maker, newName('yara'));
  await postPoll(maker, newName('Left behind?'));
  const { page } = await newUser();
  const { id } = await register(page, newName('xena'));
  await page.goto('/home');
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect.poll(() => storedSnapshot(page)).toContain('<article');
  await page.getByRole('button', { name: 'Menu' }).click();
  const loggedOut = page.waitForResponse(/\/api\/logout$/);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/auth/);
  expect(await storedSnapshot(page)).toBeNull();

  // The response to a logout deletes the session cookie, even if a later session has set it.
  await loggedOut;
  await register(page, newName('yuma'));
  // Not /home, where the snapshot of this user would be stored.
  await page.goto('/points');
  await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();
  await page.evaluate(
    ([userId, html]) =>
      new Promise<void>((resolve) => {
        // The build and the layout: a snapshot of another one would not be shown anyway.
        const look = window.homeLook?.();
        const opening = indexedDB.open('this-or-that-device');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('entries', 'readwrite');
          transaction.objectStore('entries').put({ key: 'homeSnapshot', value: userId, html, look });
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
    [id, '<p>Somebody else was here.</p>'] as const,
  );
  const release = await holdMainScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expectHomeShell(page);
  await page.waitForTimeout(SNAPSHOT_READ_WITHIN_MS);
  await expect(page.getByText('Somebody else was here.')).toHaveCount(0);
  release();
});

test('an empty feed replaces the polls in the snapshot', async ({ newUser }) => {
  const { page } = await newUser();
  await register(page, newName('yves'));
  // The poll costs all points.
  await postPoll(page, newName('Soon gone?'));
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain('Soon gone?');
  await page.route(FEED_URL, respondWith(feedPage([])));
  await page.route(TRENDING_URL, respondWith([]));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Vote to earn them.')).toBeVisible();
  await expect.poll(() => storedSnapshot(page)).toContain('No polls yet');
});

test('after a logout and a login the snapshot is stored again', async ({ newUser }) => {
  const name = newName('zack');
  const { page } = await newUser();
  await register(page, name);
  await postPoll(page, newName('The same again?'));
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain('The same again?');
  await logOut(page);
  await logIn(page, name);
  await page.getByRole('navigation').getByRole('link', { name: 'Polls' }).first().click();
  await expect.poll(() => storedSnapshot(page)).toContain('The same again?');
});
