import { expect, type Page } from '@playwright/test';
import { card, expectImages, newName } from './testing/people.ts';
import { fillPoll, joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
}

/** How many rows the device still keeps of a user. */
const rowsOf = (page: Page, userId: number) =>
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

test('a log out in one tab is one in all, at once and without a warning', async ({ newPerson }) => {
  const question = 'One tab or two?';
  const name = newName('xena');
  const { page: maker } = await newPerson();
  const { page: first, watch } = await newPerson();
  const said: string[] = [];
  first.context().on('console', (message) => {
    if (/warning|error/.test(message.type())) said.push(message.text());
  });
  await register(maker, newName('yuri'));
  await postPoll(maker, question);
  const { id } = await joinIn(first, name);
  await expectImages(card(first, question));
  const others = await Promise.all([first.context().newPage(), first.context().newPage()]);
  await others[0].goto('/home');
  await others[1].goto('/my-polls');
  await expectImages(card(others[0], question));
  await expect(others[1].getByText('No polls created yet')).toBeVisible();
  said.length = 0;

  // One of them reads and writes in the middle of it.
  watch.expectStatus(401, /\/api\//);
  await others[0].getByRole('button', { name: 'Refresh' }).click();
  await logOut(first);
  for (const page of [first, ...others]) await expect(page).toHaveURL(/\/auth/);
  await expect(others[0].getByText(question)).toHaveCount(0);
  await expect.poll(() => rowsOf(first, id)).toBe(0);
  // What was being read then arrives by now, and is not kept.
  await first.waitForTimeout(500);
  expect(await rowsOf(first, id)).toBe(0);
  expect(said.filter((line) => !/status of 401/.test(line))).toEqual([]);
});

test('what becomes of a poll is told in the tab that is looked at, whichever has sent it', async ({
  newPerson,
}) => {
  const { page: left } = await newPerson();
  await joinIn(left, newName('zoe'));
  const seen = await left.context().newPage();
  await seen.goto('/home');
  await expect(seen.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  const dialog = await fillPoll(left, 'This tab or that tab?');
  // A browser without a screen shows all its tabs.
  await left.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }));
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(seen.getByText('Poll created!')).toBeVisible();
  await expect(seen.getByText('Poll created!')).toHaveCount(1);
  await expect(left.getByText('Poll created!')).toHaveCount(0);
});
