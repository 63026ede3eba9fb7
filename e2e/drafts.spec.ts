import { expect, type Page } from '@playwright/test';
import { DAY_MS } from '#shared/time.ts';
import { colourImage } from './testing/photos.ts';
import { DRAFT_STORED_WITHIN_MS, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { expectImages, fillPoll, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Kills the process of a page, as a phone that runs out of memory does: the page gets no event. */
async function kill(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // The crashed page sends no response.
  devTools.send('Page.crash').catch(() => undefined);
  await crashed;
}

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  const question = dialog.getByLabel('Question');
  await expect(question).toBeFocused();
  return { dialog, question };
}

async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto('/home');
  return tab;
}

test('a draft with both images survives a killed tab and a closed tab, until it is discarded', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('dora'));
  await fillPoll(page, 'Bow or stern?');
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  await kill(page);

  const secondTab = await openTab(page);
  const { question } = await openDialog(secondTab);
  await expect(question).toHaveValue('Bow or stern?');
  await secondTab.close();

  const thirdTab = await openTab(page);
  const { dialog } = await openDialog(thirdTab);
  await expect(dialog.getByLabel('Question')).toHaveValue('Bow or stern?');
  await expect(dialog.getByLabel('Caption of option B')).toHaveValue('Caption B');
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await expectImages(dialog);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();

  for (const tab of [thirdTab, await openTab(page)]) {
    const reopened = await openDialog(tab);
    await expect(reopened.question).toHaveValue('');
    await expect(reopened.dialog.getByRole('img')).toHaveCount(0);
  }
});

test('the draft keeps an image until its replacement has been read', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('dina'));
  const dialog = await fillPoll(page, 'Old or new?');
  await page.evaluate(() => {
    // No image is read any more.
    window.Worker.prototype.postMessage = () => {};
  });
  const replacement = { name: 'new.jpg', mimeType: 'image/jpeg', buffer: await colourImage('#0c4') };
  await dialog.getByLabel('Replace image A').setInputFiles(replacement);
  await expect(dialog.getByLabel('Add image A')).toBeAttached();
  await page.reload();
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
});

test('two open tabs have a draft each, even after a reload', async ({ newUser }) => {
  const { page: firstTab } = await newUser();
  await registerAndOpenHome(firstTab, newName('edda'));
  const firstDraft = await openDialog(firstTab);
  await firstDraft.question.fill('Left one?');
  await firstTab.goBack();
  await expect(firstDraft.dialog).toBeHidden();
  // With the dialog closed, only the tab's lock shows that the draft is in use.
  await firstTab.reload();
  await expect(firstTab.getByRole('button', { name: 'Create Poll' })).toBeEnabled();

  // Like a duplicated tab, the popup starts with a copy of the session storage.
  const opened = firstTab.waitForEvent('popup');
  await firstTab.evaluate(() => void window.open('/home'));
  const secondTab = await opened;
  const secondDraft = await openDialog(secondTab);
  await expect(secondDraft.question).toHaveValue('');
  await secondDraft.question.fill('Right one?');
  // Reloads without waiting until the draft is stored.
  await secondTab.reload();
  await expect(secondDraft.question).toHaveValue('Right one?');
  await openDialog(firstTab);
  await expect(firstDraft.question).toHaveValue('Left one?');
});

test('an expired draft is deleted by the next start, even if nobody opens the dialog', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('dana'));
  const { dialog, question } = await openDialog(page);
  await question.fill('Kept or deleted?');
  await page.waitForTimeout(DRAFT_STORED_WITHIN_MS);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  /** Makes stored drafts two days old; returns their number. */
  const ageDrafts = () =>
    page.evaluate(
      async (savedAt) => {
        const done = (target: IDBRequest | IDBTransaction, event: string) =>
          new Promise((resolve) => target.addEventListener(event, resolve));
        const opening = indexedDB.open('this-or-that-drafts');
        await done(opening, 'success');
        const transaction = opening.result.transaction('drafts', 'readwrite');
        const drafts = transaction.objectStore('drafts');
        const reading = drafts.getAll();
        reading.onsuccess = () => {
          for (const draft of reading.result) drafts.put({ ...draft, savedAt });
        };
        await done(transaction, 'complete');
        opening.result.close();
        return reading.result.length;
      },
      Date.now() - 2 * DAY_MS,
    );
  expect(await ageDrafts()).toBe(1);
  await page.reload();
  await expect.poll(ageDrafts).toBe(0);
});
