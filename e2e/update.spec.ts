import { expect, type Page } from '@playwright/test';
import { type LossyWay, openLossyWay } from './testing/lossy-way.ts';
import { card, expectImages, newName, points } from './testing/people.ts';
import { fillPoll, joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';

/** Time enough for a page to do by itself what it should not. */
const A_WHILE_MS = 1_500;

const test = base.extend<{ way: LossyWay }>({
  way: async ({ server }, use) => {
    const way = await openLossyWay(server);
    await use(way);
    await way.close();
  },
});

/** Whether a page runs the next build. */
function isNext(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const script = document.querySelector<HTMLScriptElement>('script[type=module]');
    return script?.src.endsWith('-next.js') === true;
  });
}

/** Lets the browser look for a new version, as it does at each start. */
async function lookForUpdate(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.ready).update();
  });
}

test('a new version asks, lets what is being sent arrive, and leaves other tabs as they are', async ({
  newPerson,
  way,
}) => {
  const [first, second, third] = [newName('First'), newName('Second'), newName('Third')];
  const { page: maker } = await newPerson();
  await register(maker, newName('rita'));
  const { id } = await postPoll(maker, first);
  await register(maker, newName('ruth'));
  const { id: secondId } = await postPoll(maker, second);
  const { page, watch } = await newPerson({ baseURL: way.address });
  watch.expectLosses();
  await joinIn(page, newName('sam'));
  await untilKept(page);
  await expectImages(card(page, first));
  const other = await page.context().newPage();
  await other.goto('/home');
  await expectImages(card(other, first));
  const ready = (tab: Page) => tab.getByText('A new version is ready');

  await test.step('it is offered in every tab, and nothing happens by itself', async () => {
    way.deploy();
    // A browser may keep old parts in its own cache, or not.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.clearBrowserCache');
    await lookForUpdate(page);
    await expect(ready(page)).toBeVisible();
    await expect(ready(other)).toBeVisible();
    await page.waitForTimeout(A_WHILE_MS);
    expect([await isNext(page), await isNext(other)]).toEqual([false, false]);
  });

  await test.step('Update waits for the answers, and then the new version is there', async () => {
    const letGo = way.holdAnswersTo(`/api/questions/${id}/vote`);
    for (const question of [first, second])
      await card(page, question).getByRole('button', { name: 'That' }).click();
    await expect.poll(() => way.keysOf(`/api/questions/${id}/vote`).length).toBe(1);
    await page.getByRole('button', { name: 'Update' }).click();
    await expect(page.getByText('Installing the new version')).toBeVisible();
    await page.waitForTimeout(A_WHILE_MS);
    expect(await isNext(page)).toBe(false);
    letGo();
    await expect.poll(() => isNext(page).catch(() => false)).toBe(true);
    await expect(points(page)).toHaveText('12');
    expect(way.keysOf(`/api/questions/${id}/vote`)).toHaveLength(1);
    expect(way.keysOf(`/api/questions/${secondId}/vote`)).toHaveLength(1);
    await expect(ready(page)).toBeHidden();
  });

  await test.step('the other tab goes on with its own parts, until its person says so', async () => {
    expect(await isNext(other)).toBe(false);
    // Neither the dialog nor what shrinks photos has been loaded before.
    const dialog = await fillPoll(other, third);
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(other.getByText('Poll created!')).toBeVisible();
    await other.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => isNext(other).catch(() => false)).toBe(true);
    await expect(card(other, third)).toBeVisible();
  });
});

test('a part of a build that is gone brings the new build, once and by itself', async ({
  newPerson,
  way,
}) => {
  const { page, watch } = await newPerson({ baseURL: way.address, serviceWorkers: 'block' });
  watch.expectLosses();
  watch.expectStatus(404, /\/assets\//);
  watch.expectFault(/dynamically imported module/);
  await joinIn(page, newName('tess'));
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  way.deploy();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible();
  expect(await isNext(page)).toBe(true);
  await expect(page).toHaveURL(/\/settings$/);
});
