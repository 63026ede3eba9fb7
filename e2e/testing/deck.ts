import { type BrowserContextOptions, expect, type Locator, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { DeckPage } from '#shared/explore/schema.ts';
import { newName } from './people.ts';
import { logInAsOwner, register } from './shortcuts.ts';
import type { Watch } from './watch.ts';

type NewPerson = (options?: BrowserContextOptions) => Promise<{ page: Page; watch: Watch }>;

/** The card in front. */
export const front = (page: Page): Locator => page.locator('[data-place="0"]').getByRole('article');

/** The question of the card in front. */
export const question = (page: Page): Locator => front(page).locator('.deck-question');

export const deckButton = (page: Page, name: 'Undo' | 'Skip' | 'Next'): Locator =>
  page.locator('.deck-controls').getByRole('button', { name });

/** The result of a vote on the card in front. */
export const result = (page: Page): Locator => front(page).getByText('(your vote)');

/** Has the server so many new polls by nobody of the test. */
export async function makeSamplePolls(newPerson: NewPerson, server: StartedServer, count: number) {
  const { page } = await newPerson({ serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  const answer = await page.request.post('/api/admin/generate-polls', { data: { count } });
  expect(answer.status()).toBe(201);
}

/** From now on the deck has the first `count` polls alone that the server has for this person, as long as it has them. */
async function dealOnly(page: Page, count: number): Promise<void> {
  let dealt: Set<string> | null = null;
  await page.route('**/api/explore?*', async (route) => {
    const response = await route.fetch();
    const { data }: DeckPage = await response.json();
    // Sample polls repeat their questions.
    const distinct = new Map(data.map(({ id, question }) => [question, id]));
    dealt ??= new Set([...distinct.values()].slice(0, count));
    await route.fulfill({
      response,
      json: { data: data.filter(({ id }) => dealt?.has(id)), nextCursor: null },
    });
  });
}

/** Somebody new before a deck of `count` polls. */
export async function openDeck(
  newPerson: NewPerson,
  server: StartedServer,
  count: number,
  options: BrowserContextOptions = {},
) {
  const person = await newPerson({ serviceWorkers: 'block', hasTouch: true, ...options });
  await register(person.page, newName('dora'));
  // Other tests have left polls; to make more of them takes long.
  const { data }: DeckPage = await (await person.page.request.get('/api/explore?limit=48')).json();
  if (new Set(data.map(({ question }) => question)).size < count)
    await makeSamplePolls(newPerson, server, count);
  await dealOnly(person.page, count);
  await person.page.goto('/explore');
  await expect(question(person.page)).toBeVisible();
  return person;
}

/** Moves a finger over the card in front, in steps of a frame; `holdMs` is how long it rests before it is lifted. */
export async function swipe(
  page: Page,
  { x = 0, y = 0, fromX, holdMs = 150 }: { x?: number; y?: number; fromX?: number; holdMs?: number },
  beforeRelease: () => Promise<void> = async () => {},
): Promise<void> {
  const box = await front(page).boundingBox();
  if (box === null) throw new Error('There is no card');
  const from = { x: fromX ?? box.x + box.width / 2, y: box.y + box.height * 0.4 };
  const devTools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
    devTools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: from.x + x * share, y: from.y + y * share }],
    });
  await touch('touchStart', 0);
  const steps = 8;
  for (let step = 1; step <= steps; step += 1) await touch('touchMove', step / steps);
  // A finger at rest has no speed.
  await page.waitForTimeout(holdMs);
  await beforeRelease();
  await touch('touchEnd', 1);
  await devTools.detach();
}
