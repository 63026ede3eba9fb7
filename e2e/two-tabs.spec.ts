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

test('a logout in one tab logs out all tabs, without a warning on the console', async ({ newUser }) => {
  const question = 'One tab or two?';
  const name = newName('xena');
  const { page: maker } = await newUser();
  const { page: first, monitor } = await newUser();
  const logged: string[] = [];
  first.context().on('console', (message) => {
    if (/warning|error/.test(message.type())) logged.push(message.text());
  });
  await register(maker, newName('yuri'));
  await postPoll(maker, question);
  const { id } = await registerAndOpenHome(first, name);
  await expectImages(card(first, question));
  const otherTabs = await Promise.all([first.context().newPage(), first.context().newPage()]);
  await otherTabs[0].goto('/home');
  await otherTabs[1].goto('/my-polls');
  await expectImages(card(otherTabs[0], question));
  await expect(otherTabs[1].getByText('No polls created yet')).toBeVisible();
  logged.length = 0;

  // This tab reads and writes during the logout.
  monitor.expectStatus(401, /\/api\//);
  await otherTabs[0].getByRole('button', { name: 'Refresh' }).click();
  await logOut(first);
  for (const page of [first, ...otherTabs]) await expect(page).toHaveURL(/\/auth/);
  await expect(otherTabs[0].getByText(question)).toHaveCount(0);
  await expect.poll(() => countRows(first, id)).toBe(0);
  // A response that arrives after the logout is not stored.
  await first.waitForTimeout(500);
  expect(await countRows(first, id)).toBe(0);
  expect(logged.filter((line) => !/status of 401/.test(line))).toEqual([]);
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
