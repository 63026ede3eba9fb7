import { expect } from '@playwright/test';
import { COLOURS, newName, signUp } from './testing/people.ts';
import { phonePhoto } from './testing/photos.ts';
import { test } from './testing/test.ts';

/** A draft is stored within this time. */
const WRITTEN_WITHIN_MS = 1_000;

test('Back closes the dialog and keeps what was written; Esc closes it and clears', async ({ newPerson }) => {
  const { page } = await newPerson();
  await signUp(page, newName('wanda'));
  const dialog = page.getByRole('dialog');
  const open = () => page.getByRole('button', { name: 'Create Poll' }).click();

  await open();
  await expect(dialog.getByLabel('Question')).toBeFocused();
  await dialog.getByLabel('Question').fill('Stay or go?');
  await dialog.getByLabel('Caption of option A').fill('Stay');
  await page.waitForTimeout(WRITTEN_WITHIN_MS);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('Stay or go?');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/home$/);

  await open();
  await expect(dialog.getByLabel('Question')).toHaveValue('');
});

test('what is wrong is said until it is put right, and a good picture stays', async ({ newPerson }) => {
  const { page } = await newPerson();
  await signUp(page, newName('xaver'));
  const dialog = page.getByRole('dialog');
  const said = dialog.getByRole('status').last();
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(said).toContainText('Question required');
  await dialog.getByLabel('Question').fill('In or out?');
  await expect(said).not.toContainText('Question required');

  const buffer = await phonePhoto(COLOURS.a.top, COLOURS.a.bottom);
  await dialog.getByLabel('Add picture A').setInputFiles({ name: 'in.jpg', mimeType: 'image/jpeg', buffer });
  await expect(dialog.getByRole('img', { name: 'Option A' })).toBeVisible();
  await dialog
    .getByLabel('Replace picture A')
    .setInputFiles({ name: 'note.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') });
  await expect(dialog.getByRole('alert')).toContainText('no picture');
  await expect(dialog.getByRole('img', { name: 'Option A' })).toBeVisible();
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic');
  await dialog
    .getByLabel('Add picture B')
    .setInputFiles({ name: 'IMG_1.HEIC', mimeType: 'image/heic', buffer: heic });
  await expect(dialog.getByRole('alert').filter({ hasText: 'HEIC' })).toContainText('Save it as a JPG');
});
