import { expect } from '@playwright/test';
import type { DeckPage } from '#shared/explore/schema.ts';
import { expectNoViolations } from './testing/axe.ts';
import { deckButton, front, makeSamplePolls, openDeck, question, result, swipe } from './testing/deck.ts';
import { IMAGE_CACHE } from './testing/device-db.ts';
import { newName, points } from './testing/people.ts';
import { joinIn, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** Others may have voted on the same sample polls before. */
const VERDICT = /^(First vote|You are with the crowd|You are one of the few|Right down the middle)$/;

test('a swipe votes: to the left for A, to the right for B; the next card comes by itself', async ({
  newPerson,
  server,
}) => {
  const { page } = await openDeck(newPerson, server, 3);
  const first = await question(page).textContent();
  await expect(page.getByText('Swipe to vote')).toBeVisible();

  await test.step('a short way, or one from the edge, does nothing', async () => {
    await swipe(page, { x: 60 });
    await swipe(page, { x: 200, fromX: 20 });
    await expect(front(page).getByRole('button', { name: /./ }).first()).toBeVisible();
    await expect(question(page)).toHaveText(first ?? '');
    await expect(points(page)).toHaveText('10');
  });

  await test.step('beyond that the card leans to the option, and back', async () => {
    await swipe(page, { x: -150 }, async () => {
      await expect(page.locator('.deck')).toHaveAttribute('data-lean', '1');
      const turn = await page
        .locator('[data-place="0"] .deck-swipe')
        .evaluate((card) => card.style.transform);
      expect(turn).toBe('translateX(-52.5px) rotate(-7deg)');
      await page.keyboard.press('Escape');
      await expect(page.locator('.deck')).not.toHaveAttribute('data-lean');
    });
    await expect(points(page)).toHaveText('10');
  });

  const chosen = front(page).locator('.pair-half[data-chosen="yes"]');
  await swipe(page, { x: -150 });
  await expect(chosen).toHaveAttribute('data-option', '1');
  await expect(page.getByText(VERDICT)).toBeVisible();
  await expect(points(page)).toHaveText('11');
  await expect(question(page)).not.toHaveText(first ?? '');
  const second = await question(page).textContent();
  await swipe(page, { x: 150 });
  await expect(chosen).toHaveAttribute('data-option', '2');
  await expect(points(page)).toHaveText('12');
  // Another swipe does not wait for the next card.
  await swipe(page, { x: 150 });
  await expect(question(page)).not.toHaveText(second ?? '');
  await expect(points(page)).toHaveText('12');
});

test('the page of a phone keeps its size while a card is moved to the side', async ({
  newPerson,
  server,
}) => {
  const { page } = await openDeck(newPerson, server, 2, { isMobile: true });
  const sizeOf = () => page.evaluate(() => [innerWidth, innerHeight]);
  const size = await sizeOf();
  await swipe(page, { x: 200, fromX: 40 }, async () => expect(await sizeOf()).toEqual(size));
});

test('the page still scrolls below a finger that moves up', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 1, { viewport: { width: 375, height: 480 } });
  await swipe(page, { y: -200 });
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(50);
  await expect(points(page)).toHaveText('10');
});

test('the keyboard votes, skips and goes back; a held key votes once', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 4);
  const questions: (string | null)[] = [await question(page).textContent()];
  await page.keyboard.down('ArrowLeft');
  await page.keyboard.down('ArrowLeft');
  await page.keyboard.up('ArrowLeft');
  await expect(result(page)).toBeAttached();
  await expect(points(page)).toHaveText('11');
  // Whoever uses keys goes on by a key.
  await page.waitForTimeout(1_500);
  await expect(question(page)).toHaveText(questions[0] ?? '');
  await page.keyboard.press('ArrowRight');
  await expect(question(page)).not.toHaveText(questions[0] ?? '');
  questions.push(await question(page).textContent());
  await page.keyboard.press('s');
  await expect(question(page)).not.toHaveText(questions[1] ?? '');
  questions.push(await question(page).textContent());
  await page.keyboard.press('ArrowDown');
  await expect(question(page)).not.toHaveText(questions[2] ?? '');
  await page.keyboard.press('u');
  await expect(question(page)).toHaveText(questions[2] ?? '');
  await page.keyboard.press('ArrowUp');
  await expect(question(page)).toHaveText(questions[1] ?? '');
  await page.keyboard.press('ArrowRight');
  await expect(points(page)).toHaveText('12');
  await expect(result(page)).toBeAttached();
});

test('the focus goes on with the cards, and what happens is said', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 2);
  const first = (await question(page).textContent()) ?? '';
  const said = page.locator('#main [aria-live]').first();
  await expect(said).toHaveText(first);
  await front(page).locator('.btn-option').first().focus();
  await page.keyboard.press('Enter');
  await expect(front(page).locator('[aria-live]')).toHaveText(/\d percent/);
  await page.keyboard.press('ArrowDown');
  await expect(question(page)).not.toHaveText(first);
  await expect(front(page)).toBeFocused();
  await expect(said).toHaveText((await question(page).textContent()) ?? '');
  await deckButton(page, 'Skip').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
  await expect(page.locator('#main')).toBeFocused();
  await expect(said).toHaveText('No more cards');
});

test('Undo brings a voted card back to change the vote, which is never taken back', async ({
  newPerson,
  server,
}) => {
  const { page } = await openDeck(newPerson, server, 2);
  const first = (await question(page).textContent()) ?? '';
  await expect(deckButton(page, 'Undo')).toHaveAttribute('aria-disabled', 'true');
  const voted = page.waitForResponse(/\/vote$/);
  await front(page).locator('.btn-option').first().click();
  const { votesCount } = (await (await voted).json()).poll;
  await expect(result(page)).toBeAttached();
  await deckButton(page, 'Next').click();
  await expect(question(page)).not.toHaveText(first);
  await deckButton(page, 'Undo').click();
  await expect(question(page)).toHaveText(first);
  const keys = front(page).locator('.btn-option');
  await expect(keys.first()).toHaveAttribute('aria-pressed', 'true');
  await front(page).getByRole('button', { name: 'Keep my vote' }).click();
  await expect(result(page)).toBeAttached();
  await deckButton(page, 'Undo').click();
  const changed = page.waitForResponse((response) => response.request().method() === 'PUT');
  await keys.last().click();
  const { poll } = await (await changed).json();
  expect(poll.votes[0].option).toBe(2);
  expect(poll.votesCount).toBe(votesCount);
  await expect(points(page)).toHaveText('11');
});

test('after the last card the skipped ones can come again', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 3);
  await front(page).locator('.btn-option').first().click();
  await deckButton(page, 'Next').click();
  await deckButton(page, 'Skip').click();
  await deckButton(page, 'Skip').click();
  await expect(page.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('button', { name: 'Create Poll' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to 2 skipped polls' }).click();
  await deckButton(page, 'Skip').click();
  await deckButton(page, 'Skip').click();
  await expect(page.getByRole('button', { name: 'Back to 2 skipped polls' })).toBeVisible();
});

test('a reported poll makes way for the next one, and comes back by Undo', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 2);
  const first = (await question(page).textContent()) ?? '';
  await front(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
  await page.getByRole('radio', { name: 'Spam' }).check();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(question(page)).not.toHaveText(first);
  await expect(page.getByText('Reported as spam')).toBeVisible();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(question(page)).toHaveText(first);
});

test('without motion nothing moves, and the result waits for Next', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 2, { reducedMotion: 'reduce' });
  const first = (await question(page).textContent()) ?? '';
  await swipe(page, { x: 150 }, async () => {
    await expect(page.locator('.deck')).toHaveAttribute('data-lean', '2');
    const card = page.locator('[data-place="0"] .deck-swipe');
    expect(await card.evaluate(({ style }) => style.transform)).toBe('');
  });
  await expect(result(page)).toBeAttached();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  await page.waitForTimeout(1_500);
  await expect(question(page)).toHaveText(first);
  await deckButton(page, 'Next').click();
  await expect(question(page)).not.toHaveText(first);
});

test('axe finds nothing wrong with a card and its result', async ({ newPerson, server }) => {
  const { page } = await openDeck(newPerson, server, 2, { reducedMotion: 'reduce' });
  await expectNoViolations(page, 'a card');
  await front(page).locator('.btn-option').first().click();
  await expect(page.getByText(VERDICT)).toBeVisible();
  await expectNoViolations(page, 'a result');
});

test('24 cards with their images are there without a network, and what is voted then counts once', async ({
  newPerson,
  server,
}) => {
  await makeSamplePolls(newPerson, server, 30);
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  await joinIn(page, newName('olga'));
  await untilKept(page);
  const answered = page.waitForResponse('**/api/explore?*');
  await page.goto('/explore');
  await expect(question(page)).toBeVisible();
  const { data }: DeckPage = await (await answered).json();
  const ofCards = data.slice(0, 24).flatMap(({ option1Image, option2Image }) => [option1Image, option2Image]);
  const missingImages = () =>
    page.evaluate(
      async ([name, paths]) => {
        const kept = await (await caches.open(name)).keys();
        const known = new Set(kept.map(({ url }) => new URL(url).pathname));
        return paths.filter((path) => !known.has(path));
      },
      [IMAGE_CACHE, ofCards] as const,
    );
  await expect.poll(missingImages, { timeout: 30_000 }).toEqual([]);
  watch.expectLosses();
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText(/Offline · \d\d more polls on this device/)).toBeVisible();
  for (let card = 0; card < 24; card += 1) {
    await expect(question(page)).toBeVisible();
    const missing = await front(page)
      .getByRole('img')
      .evaluateAll(async (all) => {
        const loaded = all.map((each) =>
          (each as HTMLImageElement).decode().then(
            () => true,
            () => false,
          ),
        );
        return (await Promise.all(loaded)).includes(false);
      });
    expect(missing, `card ${card}`).toBe(false);
    const shown = (await front(page).getAttribute('aria-labelledby')) ?? '';
    if (card < 5) {
      await page.keyboard.press('ArrowLeft');
      await expect(front(page).getByText('Waiting to sync')).toBeVisible();
    }
    await page.keyboard.press('ArrowDown');
    await expect(front(page)).not.toHaveAttribute('aria-labelledby', shown);
  }
  await page.context().setOffline(false);
  await expect(points(page)).toHaveText('15', { timeout: 20_000 });
});
