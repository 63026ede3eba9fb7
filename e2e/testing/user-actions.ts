import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { colourImage, phonePhoto, type Rgb } from './photos.ts';

export const PASSWORD = 'correct horse battery';

let namesUsed = 0;

/** A username or question that is unique in this worker, and so on its server. */
export function newName(name: string): string {
  namesUsed += 1;
  return `${name}.${namesUsed}`;
}

/** Signs up with the form, and waits for /home. */
export async function signUp(page: Page, username: string): Promise<void> {
  await page.goto('/auth?next=%2Fhome');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  // The app replaces the form of the prerendered page when it starts.
  await page.getByRole('button', { name: 'Create Account' }).waitFor();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page).toHaveURL(/\/home$/);
}

export async function logIn(page: Page, usernameOrEmail: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Username or email').fill(usernameOrEmail);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log In' }).click();
}

/** Logs out from the menu. */
export async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
}

/** The points in the header. */
export function points(page: Page): Locator {
  return page.getByRole('banner').getByRole('status');
}

/** The card of a poll, in the feed or among the trending polls. */
export function card(page: Page, question: string): Locator {
  return page.getByRole('article', { name: question });
}

/** The row on the outbox page for a change about `question`. */
export function changeRow(page: Page, question: string): Locator {
  return page.getByRole('listitem').filter({ hasText: question });
}

/** For tests that are not about the photo itself: smaller photos are processed faster. */
export const SMALL_PHOTO_PX = 160;

type NewPoll = {
  question: string;
  captions: readonly [string, string];
  message?: string;
  /** The longer side of both photos in pixels. */
  photoPx?: number;
};

/** The colours of the upper and the lower half of each photo. */
export const COLOURS = {
  a: { top: [206, 84, 40], bottom: [240, 204, 70] },
  b: { top: [40, 92, 206], bottom: [30, 160, 118] },
} satisfies Record<string, { top: Rgb; bottom: Rgb }>;

type DialogInput = {
  captions?: readonly [string, string];
  /** The files of images A and B, by default small images of one colour. */
  images?: readonly Buffer[];
  /** The name of the button that opens the dialog. */
  openedBy?: string;
};

/** Opens and fills in the create dialog, and returns it without submitting. */
export async function fillPoll(
  page: Page,
  question: string,
  { captions = ['Caption A', 'Caption B'], images = [], openedBy = 'Create Poll' }: DialogInput = {},
): Promise<Locator> {
  await page.getByRole('button', { name: openedBy }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill(question);
  for (const [index, letter] of ['A', 'B'].entries()) {
    const buffer = images[index] ?? (await colourImage(index === 0 ? '#c40' : '#04c'));
    const file = { name: `${letter}.jpg`, mimeType: 'image/jpeg', buffer };
    await dialog.getByLabel(`Add image ${letter}`).setInputFiles(file);
    await dialog.getByLabel(`Caption of option ${letter}`).fill(captions[index] ?? '');
    await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeAttached();
  }
  return dialog;
}

/** Creates a poll with two photos in the dialog, and waits for a message, by default that the server has created it. */
export async function createPoll(
  page: Page,
  { question, captions, message = 'Poll created!', photoPx = SMALL_PHOTO_PX }: NewPoll,
): Promise<void> {
  const photos = [COLOURS.a, COLOURS.b].map(({ top, bottom }) => phonePhoto(top, bottom, photoPx));
  const dialog = await fillPoll(page, question, { captions, images: await Promise.all(photos) });
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(message)).toBeVisible();
}

/** Waits until every image in an element is loaded. Scrolls to the last one, since images far from the viewport are not loaded. */
export async function expectImages(container: Locator): Promise<void> {
  const images = container.getByRole('img');
  await expect(images.first()).toBeVisible();
  await expect(async () => {
    await images.last().scrollIntoViewIfNeeded();
    const missing = await images.evaluateAll((all) =>
      all.flatMap((image) => {
        if (!(image instanceof HTMLImageElement)) return [image.outerHTML];
        return image.complete && image.naturalWidth > 0 ? [] : [`${image.currentSrc} ${image.complete}`];
      }),
    );
    expect(missing).toEqual([]);
  }).toPass({ timeout: 10_000 });
}
