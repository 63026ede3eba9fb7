import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { phonePhoto, type Rgb } from './photos.ts';

export const PASSWORD = 'correct horse battery';

let namesUsed = 0;

/** A username that is unique in this run. */
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

/** The points in the header. */
export function points(page: Page): Locator {
  return page.getByRole('banner').getByRole('status');
}

/** The card of a poll, in the feed or among the trending polls. */
export function card(page: Page, question: string): Locator {
  return page.getByRole('article', { name: question });
}

/** For tests that are not about the photo itself: smaller photos are processed faster. */
export const SMALL_PHOTO_PX = 640;

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

/** Creates a poll with two photos in the dialog, and waits for a message, by default that the server has created it. */
export async function createPoll(
  page: Page,
  { question, captions, message = 'Poll created!', photoPx = SMALL_PHOTO_PX }: NewPoll,
): Promise<void> {
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill(question);
  for (const [index, letter] of (['A', 'B'] as const).entries()) {
    const { top, bottom } = letter === 'A' ? COLOURS.a : COLOURS.b;
    const buffer = await phonePhoto(top, bottom, photoPx);
    const file = { name: `IMG_${index}.jpg`, mimeType: 'image/jpeg', buffer };
    await dialog.getByLabel(`Add image ${letter}`).setInputFiles(file);
    await dialog.getByLabel(`Caption of option ${letter}`).fill(captions[index] ?? '');
    await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeAttached();
  }
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(message)).toBeVisible();
}

/** Waits until every image in an element is loaded; images outside the viewport are loaded when scrolled near it. */
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
