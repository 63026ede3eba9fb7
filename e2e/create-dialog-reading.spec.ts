import { expect, type Page } from '@playwright/test';
import { colourImage } from './testing/photos.ts';
import { registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { expectImages, fillPoll, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const photo = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await colourImage('#0c4') };

/** Images that are chosen from now on are read only once the returned function has been called. */
async function holdReading(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/shrink-image\.worker/, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test('the draft contains an image that was being read when the dialog closed, unless it is unreadable', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('dilan'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await dialog.getByLabel('Question').fill('Now or later?');

  const releaseFirst = await holdReading(page);
  await dialog.getByLabel('Add image A').setInputFiles(photo);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  releaseFirst();
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
  await expect(dialog.getByLabel('Question')).toHaveValue('Now or later?');

  const releaseSecond = await holdReading(page);
  await dialog.getByLabel('Replace image A').setInputFiles({ ...photo, buffer: Buffer.from('no image') });
  await dialog.getByLabel('Add image B').setInputFiles(photo);
  await dialog.getByRole('link', { name: 'The rules' }).click();
  await expect(dialog).toBeHidden();
  releaseSecond();
  await page.goBack();
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
  await expect(dialog.getByLabel('Replace image B')).toBeAttached();
  await expectImages(dialog);
});

test('Undo restores an image that was being read when Close discarded the draft', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('dunja'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  const release = await holdReading(page);
  await dialog.getByLabel('Add image A').setInputFiles(photo);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  release();
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
});

test('an image cannot be replaced while a poll waits for its images', async ({ newUser }) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('wim'));
  const dialog = await fillPoll(page, 'Old or new?');
  const release = await holdReading(page);
  await dialog.getByLabel('Replace image B').setInputFiles(photo);
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByLabel('Replace image A')).toBeDisabled();
  release();
  await expect(page.getByText('Poll created!')).toBeVisible();
});

test('Close cancels a poll that waits for an image, even if the image is read before the dialog has closed', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await registerAndOpenHome(page, newName('yann'));
  const dialog = await fillPoll(page, 'Post or cancel?');
  const release = await holdReading(page);
  await dialog.getByLabel('Replace image A').setInputFiles(photo);
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog.getByRole('button', { name: 'Reading the image…' })).toBeDisabled();
  await page.evaluate(() => {
    // Going back, which closes the dialog, takes long.
    window.history.go = () => {};
  });
  await dialog.getByRole('button', { name: 'Close' }).click();
  release();
  await expect(dialog.getByLabel('Replace image A')).toBeAttached();
  await expect(dialog.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await expect(page.getByText('Poll created!')).toBeHidden();
});
