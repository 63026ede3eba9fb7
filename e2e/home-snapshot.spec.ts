import { expect, type Page } from '@playwright/test';
import { breaks, FEED, gives, pageOf, TRENDING } from './testing/fake-feed.ts';
import { expectHomeShell, holdScript, watchShifts } from './testing/first-paint.ts';
import { logIn, newName } from './testing/people.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** Time enough for a page to read what it has stored. */
const A_WHILE_MS = 500;

/** What the device keeps for the first paint of /home. */
const storedSnapshot = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string | null>((resolve) => {
        const opening = indexedDB.open('this-or-that-device');
        // The app has not made it yet.
        opening.onupgradeneeded = () => opening.transaction?.abort();
        opening.onerror = () => resolve(null);
        opening.onsuccess = () => {
          const found = opening.result.transaction('entries').objectStore('entries').get('homeSnapshot');
          found.onsuccess = () => {
            opening.result.close();
            resolve(found.result?.html ?? null);
          };
        };
      }),
  );

test('/home shows the polls of the last use before the app runs, and nothing moves when it does', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  await register(maker, newName('vera'));
  const question = newName('Seen before?');
  await postPoll(maker, question);
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await register(page, newName('will'));
  // The vote would make it a trending poll, elsewhere on the page.
  await page.route(TRENDING, gives([]));
  await page.goto('/home');
  const card = page.getByRole('article').filter({ hasText: question });
  await card.locator('button[data-option="1"]').click();
  await expect(card).toContainText('100%');
  await expect.poll(() => storedSnapshot(page)).toContain('data-chosen="yes"');
  const places = () =>
    page
      .locator('article')
      .evaluateAll((all) => all.slice(0, 3).map((each) => JSON.stringify(each.getBoundingClientRect())));
  const before = await places();

  const release = await holdScript(page);
  const readShifts = await watchShifts(page);
  await page.goto('/home', { waitUntil: 'commit' });
  const snapshot = page.locator('#home-snapshot article').filter({ hasText: question });
  await expect(snapshot).toContainText('100%');
  await expect(snapshot).toBeVisible();
  await expect(page.getByText('Loading polls')).toBeHidden();
  expect(await places()).toEqual(before);
  await page.screenshot({ path: test.info().outputPath('snapshot.png') });
  // Nothing in the snapshot can be pressed, or is read out.
  await expect(page.getByRole('article')).toHaveCount(0);
  release();
  await expect(card).toContainText('100%');
  await expect(page.locator('#home-snapshot')).toHaveCount(0);
  expect(await places()).toEqual(before);
  expect(await readShifts()).toBe(0);
});

/** A user whose device has kept a poll with this question; on a phone. */
async function withSnapshot(page: Page, question: string): Promise<void> {
  await register(page, newName('wanda'));
  await postPoll(page, question);
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain(question);
}

test('a vote is in it although the polls are left at once', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  await register(maker, newName('mary'));
  const question = newName('Left at once?');
  await postPoll(maker, question);
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await register(page, newName('wes'));
  await page.goto('/home');
  const card = page.getByRole('article').filter({ hasText: question }).first();
  await card.locator('button[data-option="1"]').click();
  await expect(card).toContainText('100%');
  await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).first().click();
  await expect.poll(() => storedSnapshot(page)).toContain('data-chosen="yes"');
});

test('the message that the polls could not be loaded is no part of it', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  await withSnapshot(page, 'Still there?');
  watch.expectStatus(500, /\/api\/questions/);
  await page.route(FEED, breaks);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Error loading polls')).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).first().click();
  await page.waitForTimeout(A_WHILE_MS);
  expect(await storedSnapshot(page)).toContain('Still there?');
  expect(await storedSnapshot(page)).not.toContain('Error loading polls');
});

test('they are shown before the app runs also when the device reads faster than the page is parsed', async ({
  newPerson,
}) => {
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await withSnapshot(page, 'Faster?');
  await page.addInitScript((parsedAfterMs) => {
    Object.defineProperty(document, 'readyState', { configurable: true, value: 'loading' });
    setTimeout(() => {
      Reflect.deleteProperty(document, 'readyState');
      document.dispatchEvent(new Event('readystatechange'));
    }, parsedAfterMs);
  }, A_WHILE_MS);
  const release = await holdScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expect(page.locator('#home-snapshot')).toContainText('Faster?');
  release();
});

test('dialogs are no part of it, and images that cannot be loaded leave their places empty', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  await withSnapshot(page, 'With a dialog?');
  const card = page.getByRole('article').filter({ hasText: 'With a dialog?' });
  await card.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Share' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForTimeout(A_WHILE_MS);
  expect(await storedSnapshot(page)).not.toContain('<dialog');
  watch.expectLosses();
  await page.route('**/uploads/*', (route) => route.abort());
  const release = await holdScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  const snapshot = page.locator('#home-snapshot');
  await expect(snapshot).toContainText('With a dialog?');
  await expect(snapshot.locator('img')).toHaveCount(0);
  await expect(
    snapshot.locator('article').filter({ hasText: 'With a dialog?' }).locator('div.pair-image'),
  ).toHaveCount(2);
  release();
});

test('a window of another layout shows skeletons instead', async ({ newPerson }) => {
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await withSnapshot(page, 'On a phone?');
  await page.setViewportSize({ width: 1280, height: 800 });
  const release = await holdScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await page.waitForTimeout(A_WHILE_MS);
  await expect(page.getByText('Loading polls')).toBeVisible();
  await expect(page.getByText('On a phone?')).toHaveCount(0);
  release();
});

test('nothing of the polls of the last use is left after a log out, or shown to somebody else', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  await register(maker, newName('yara'));
  await postPoll(maker, newName('Left behind?'));
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await register(page, newName('xena'));
  await page.goto('/home');
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect.poll(() => storedSnapshot(page)).toContain('<article');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/auth/);
  expect(await storedSnapshot(page)).toBeNull();

  await page.evaluate(
    (html) =>
      new Promise<void>((resolve) => {
        const look = window.homeLook?.();
        const opening = indexedDB.open('this-or-that-device');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('entries', 'readwrite');
          transaction.objectStore('entries').put({ key: 'homeSnapshot', value: 1, html, look });
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
    '<p>Somebody else was here.</p>',
  );
  const release = await holdScript(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expectHomeShell(page);
  await page.waitForTimeout(A_WHILE_MS);
  await expect(page.getByText('Somebody else was here.')).toHaveCount(0);
  release();
});

test('the empty feed takes the place of the polls of the last use, and says what a poll costs', async ({
  newPerson,
}) => {
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await register(page, newName('yves'));
  // It costs all of the points.
  await postPoll(page, newName('Soon gone?'));
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain('Soon gone?');
  await page.route(FEED, gives(pageOf([])));
  await page.route(TRENDING, gives([]));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page.getByText('Vote to earn them.')).toBeVisible();
  await expect.poll(() => storedSnapshot(page)).toContain('No polls yet');
});

test('after a log out and a login the same polls are kept again', async ({ newPerson }) => {
  const name = newName('zack');
  const { page } = await newPerson();
  await register(page, name);
  await postPoll(page, newName('The same again?'));
  await page.goto('/home');
  await expect.poll(() => storedSnapshot(page)).toContain('The same again?');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, name);
  await page.getByRole('navigation').getByRole('link', { name: 'Polls' }).first().click();
  await expect.poll(() => storedSnapshot(page)).toContain('The same again?');
});
