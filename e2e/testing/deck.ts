import { type BrowserContextOptions, expect, type Locator, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import { DECK_PAGE_SIZE_MAX } from '#shared/explore/constants.ts';
import type { DeckPage } from '#shared/explore/schema.ts';
import { generateSamplePolls, logInAsOwner, register } from './shortcuts.ts';
import type { NewUser } from './test.ts';
import { newName } from './user-actions.ts';

/** The front card of the deck, with which the user votes. */
export const frontCard = (page: Page): Locator => page.locator('[data-place="0"]').getByRole('article');

/** The question of the front card. */
export const frontQuestion = (page: Page): Locator => frontCard(page).locator('.deck-question');

export const deckButton = (page: Page, name: 'Undo' | 'Skip' | 'Next'): Locator =>
  page.locator('.deck-controls').getByRole('button', { name });

/** The result of a vote on the front card. */
export const voteResult = (page: Page): Locator => frontCard(page).getByText('(your vote)');

/** Generates `count` sample polls as the owner. */
export async function addSamplePolls(newUser: NewUser, server: StartedServer, count: number): Promise<void> {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await generateSamplePolls(page, count);
}

/** Limits the deck of a page to the first `count` different questions that the server sends. */
async function limitDeck(page: Page, count: number): Promise<void> {
  let ids: Set<string> | null = null;
  await page.route('**/api/explore?*', async (route) => {
    const response = await route.fetch();
    const { data }: DeckPage = await response.json();
    // Several sample polls can have the same question.
    const distinct = new Map(data.map(({ id, question }) => [question, id]));
    ids ??= new Set([...distinct.values()].slice(0, count));
    await route.fulfill({
      response,
      json: { data: data.filter(({ id }) => ids?.has(id)), nextCursor: null },
    });
  });
}

/** Opens a deck of `count` polls for a new user. */
export async function openDeck(
  newUser: NewUser,
  server: StartedServer,
  count: number,
  options: BrowserContextOptions = {},
) {
  const user = await newUser({ serviceWorkers: 'block', hasTouch: true, ...options });
  await register(user.page, newName('dora'));
  // Generating polls is slow: polls of other tests are used if enough of them have different questions.
  const { data }: DeckPage = await (
    await user.page.request.get(`/api/explore?limit=${DECK_PAGE_SIZE_MAX}`)
  ).json();
  if (new Set(data.map(({ question }) => question)).size < count)
    await addSamplePolls(newUser, server, count);
  await limitDeck(user.page, count);
  await user.page.goto('/explore');
  await expect(frontQuestion(user.page)).toBeVisible();
  return user;
}

/**
 * Moves a finger over the front card by `x` and `y` pixels in eight steps, and lifts it after `holdMs` without movement. It starts
 * in the middle of the card's width, or `fromX` pixels from the left edge of the screen.
 */
export async function swipe(
  page: Page,
  { x = 0, y = 0, fromX, holdMs = 150 }: { x?: number; y?: number; fromX?: number; holdMs?: number },
  beforeRelease: () => Promise<void> = async () => {},
): Promise<void> {
  const box = await frontCard(page).boundingBox();
  if (box === null) throw new Error('There is no card');
  const from = { x: fromX ?? box.x + box.width / 2, y: box.y + box.height * 0.4 };
  const devTools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', fraction: number) =>
    devTools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: from.x + x * fraction, y: from.y + y * fraction }],
    });
  await touch('touchStart', 0);
  const steps = 8;
  for (let step = 1; step <= steps; step += 1) await touch('touchMove', step / steps);
  // After a pause the gesture has no velocity.
  await page.waitForTimeout(holdMs);
  await beforeRelease();
  await touch('touchEnd', 1);
  await devTools.detach();
}
