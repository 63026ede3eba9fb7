import { expect, type Page } from '@playwright/test';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, fillPoll, logOut, newName } from './testing/user-actions.ts';

/** The number of rows in a user's database on the device. */
const countRows = (page: Page, userId: number) =>
  page.evaluate(async (id) => {
    const opening = indexedDB.open(`this-or-that-user-${id}`);
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const db = opening.result;
    const stores = [...db.objectStoreNames];
    const transaction = db.transaction(stores);
    const counts = stores.map((name) => transaction.objectStore(name).count());
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    db.close();
    return counts.reduce((sum, { result }) => sum + result, 0);
  }, userId);

test('a logout in one tab logs out all tabs and deletes the user’s rows for good, without a warning on the console', {
  tag: '@core',
}, async ({ newUser }) => {
  const question = 'One tab or two?';
  const name = newName('xena');
  const { page: maker } = await newUser();
  const { page: first, monitor } = await newUser();
  const warnings: string[] = [];
  first.context().on('console', (message) => {
    if (/warning|error/.test(message.type())) warnings.push(message.text());
  });
  await register(maker, newName('yuri'));
  await postPoll(maker, question);
  const { id } = await registerAndOpenHome(first, name);
  await expectImages(card(first, question));
  const [feedTab, ownPollsTab] = await Promise.all([first.context().newPage(), first.context().newPage()]);
  await feedTab.goto('/home');
  await ownPollsTab.goto('/my-polls');
  await expectImages(card(feedTab, question));
  await expect(ownPollsTab.getByText('No polls created yet')).toBeVisible();
  // Only warnings during the logout count.
  warnings.length = 0;

  // This tab loads and stores the feed during the logout, so that its calls may get a 401.
  monitor.expectStatus(401, /\/api\//);
  await feedTab.getByRole('button', { name: 'Refresh' }).click();
  await logOut(first);
  for (const page of [first, feedTab, ownPollsTab]) await expect(page).toHaveURL(/\/auth/);
  await expect(feedTab.getByText(question)).toHaveCount(0);
  await expect.poll(() => countRows(first, id)).toBe(0);
  // A response that arrives after the logout is not stored.
  await first.waitForTimeout(500);
  expect(await countRows(first, id)).toBe(0);
  expect(warnings.filter((line) => !/status of 401/.test(line))).toEqual([]);
});

test('the outcome of a poll that a hidden tab has sent is shown only in the visible tab', async ({
  newUser,
}) => {
  const { page: hiddenTab } = await newUser();
  await registerAndOpenHome(hiddenTab, newName('zoe'));
  const visibleTab = await hiddenTab.context().newPage();
  await visibleTab.goto('/home');
  await expect(visibleTab.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  const dialog = await fillPoll(hiddenTab, 'This tab or that tab?');
  // In a headless browser all tabs are visible.
  await hiddenTab.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }));
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(visibleTab.getByText('Poll created!')).toBeVisible();
  await expect(visibleTab.getByText('Poll created!')).toHaveCount(1);
  await expect(hiddenTab.getByText('Poll created!')).toHaveCount(0);
});

test('the theme chosen in one tab applies in all open tabs', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(page, newName('yara'));
  const settingsTab = await page.context().newPage();
  await settingsTab.goto('/settings');
  for (const theme of ['Light', 'Dark']) {
    await settingsTab.getByRole('radio', { name: theme }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme.toLowerCase());
  }
});
