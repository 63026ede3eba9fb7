import { expect, type Locator } from '@playwright/test';
import type { DeckPage } from '#shared/explore/schema.ts';
import { expectNoViolations } from './testing/axe.ts';
import { deckButton, frontCard, frontQuestion, openDeck, swipe, voteResult } from './testing/deck.ts';
import { copyOfPoll, createTemplatePoll, respondWithError } from './testing/fake-feed.ts';
import { PHONE } from './testing/screens.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, points } from './testing/user-actions.ts';

/** Longer than the deck takes to show the next card where it does so automatically. */
const ADVANCED_WITHIN_MS = 1_500;
/** All texts that compare a vote with the other votes: other tests may have voted on the same sample polls. */
const COMPARISON = /^(First vote|You are with the crowd|You are one of the few|Right down the middle)$/;

test('a swipe to the left votes for A, to the right for B, and the next card follows automatically', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 3);
  const firstQuestion = await frontQuestion(page).textContent();
  await expect(page.getByText('Swipe to vote')).toBeVisible();

  await test.step('a short swipe, or a swipe from the edge, does not vote', async () => {
    await swipe(page, { x: 60 });
    await swipe(page, { x: 200, fromX: 20 });
    await expect(voteResult(page)).toHaveCount(0);
    await expect(frontQuestion(page)).toHaveText(firstQuestion ?? '');
    await expect(points(page)).toHaveText('10');
  });

  await test.step('a longer swipe tilts the card towards the option, and Escape cancels the swipe', async () => {
    await swipe(page, { x: -150 }, async () => {
      await expect(page.locator('.deck')).toHaveAttribute('data-lean', '1');
      const transform = await page
        .locator('[data-place="0"] .deck-swipe')
        .evaluate((card) => card.style.transform);
      // The card moves by 35% of the finger's distance, and tilts by at most 7 degrees.
      expect(transform).toBe('translateX(-52.5px) rotate(-7deg)');
      await page.keyboard.press('Escape');
      await expect(page.locator('.deck')).not.toHaveAttribute('data-lean');
    });
    await expect(points(page)).toHaveText('10');
  });

  const chosen = frontCard(page).locator('.pair-half[data-chosen="yes"]');
  const comparison = page.getByText(COMPARISON).waitFor();
  await swipe(page, { x: -150 });
  await expect(chosen).toHaveAttribute('data-option', '1');
  await comparison;
  await expect(points(page)).toHaveText('11');
  await expect(frontQuestion(page)).not.toHaveText(firstQuestion ?? '');
  const secondQuestion = await frontQuestion(page).textContent();
  // While the card before leaves automatically, swipes are ignored.
  await expect(page.locator('[data-motion]')).toHaveCount(0);
  await swipe(page, { x: 150 });
  await expect(chosen).toHaveAttribute('data-option', '2');
  await expect(points(page)).toHaveText('12');
  // Another swipe shows the next card at once.
  await swipe(page, { x: 150 });
  await expect(frontQuestion(page)).not.toHaveText(secondQuestion ?? '');
  await expect(points(page)).toHaveText('12');
});

for (const viewport of [
  { width: 375, height: 812 },
  // The widest screen with the layout of a phone.
  { width: 768, height: 1024 },
  // A tablet with the layout of a desktop.
  { width: 820, height: 1180 },
]) {
  test(`at ${viewport.width} px the viewport keeps its size while a card is swiped away`, async ({
    newUser,
    server,
  }) => {
    const { page } = await openDeck(newUser, server, 2, { isMobile: true, viewport });
    await page.evaluate(() => {
      const sizes = new Set<string>();
      Reflect.set(window, 'sizes', sizes);
      const recordSize = () => {
        sizes.add(`${innerWidth} × ${innerHeight}`);
        requestAnimationFrame(recordSize);
      };
      recordSize();
    });
    const question = await frontQuestion(page).textContent();
    await swipe(page, { x: 250 });
    await expect(frontQuestion(page)).not.toHaveText(question ?? '');
    const sizes = await page.evaluate(() => [...Reflect.get(window, 'sizes')]);
    expect(sizes).toEqual([`${viewport.width} × ${viewport.height}`]);
  });
}

test('on a small phone the vote buttons do not break a word of eleven letters', async ({ newUser }) => {
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  await register(maker, newName('mara'));
  const { id } = await postPoll(maker, 'Where to live?', { captions: ['Countryside', 'Countryside'] });
  // Scroll bars of desktop browsers would take a part of the width.
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true };
  const { page } = await newUser({ serviceWorkers: 'block', ...phone });
  await register(page, newName('dora'));
  const poll = await (await page.request.get(`/api/questions/${id}`)).json();
  await page.route('**/api/explore?*', (route) =>
    route.fulfill({ json: { data: [poll], nextCursor: null } satisfies DeckPage }),
  );
  await page.goto('/explore');
  const captions = frontCard(page).locator('.btn-option').getByText('Countryside');
  await expect(captions).toHaveCount(2);
  const lineCounts = await captions.evaluateAll((spans) =>
    spans.map((span) => span.clientHeight / Number.parseFloat(getComputedStyle(span).lineHeight)),
  );
  expect(lineCounts).toEqual([1, 1]);
});

test('a longer question on the card behind neither moves the front card nor is visible above it', async ({
  newUser,
}) => {
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  const template = await createTemplatePoll(maker);
  const data = [
    copyOfPoll(template, 1, { question: 'Short or long?' }),
    copyOfPoll(template, 2, { question: 'Would you rather '.repeat(10) }),
  ];
  const { page } = await newUser({ serviceWorkers: 'block', viewport: PHONE });
  await register(page, newName('dora'));
  await page.route('**/api/explore?*', (route) =>
    route.fulfill({ json: { data, nextCursor: null } satisfies DeckPage }),
  );
  await page.goto('/explore');
  await expect(frontQuestion(page)).toHaveText('Short or long?');
  const behind = page.locator('[data-place="1"]');
  await expect(behind.locator('.deck-question')).toBeVisible();
  const topOf = async (element: Locator) => (await element.boundingBox())?.y ?? Number.NaN;
  const top = await topOf(frontCard(page));
  expect(await topOf(page.locator('.deck-stage'))).toBe(top);
  expect(await topOf(behind)).toBeGreaterThan(top);
  // The longer card behind overflows at the top, where its slot clips it.
  expect(await topOf(behind.locator('article'))).toBeLessThan(await topOf(behind));
  await expect(behind).toHaveCSS('overflow-y', 'clip');
});

test('on a tall desktop screen the images are a quarter taller than wide', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 1, { viewport: { width: 1280, height: 1600 } });
  const image = await frontCard(page).locator('.pair-half').first().boundingBox();
  expect(image).not.toBeNull();
  expect((image?.height ?? 0) / (image?.width ?? 1)).toBeCloseTo(1.25, 3);
});

test('a vertical swipe scrolls the page and does not vote', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 1, { viewport: { width: 375, height: 480 } });
  await swipe(page, { y: -200 });
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(50);
  await expect(points(page)).toHaveText('10');
});

test('keys vote, skip and go back, and a held key votes once', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const { page } = await openDeck(newUser, server, 4);
  const questions: (string | null)[] = [await frontQuestion(page).textContent()];
  const arrowKeys = page.locator('.deck-arrow');
  await expect(arrowKeys).toHaveText([/^A./, /^B./]);
  await page.keyboard.down('ArrowLeft');
  // Without a release in between, the second press is a repeat, like those of a held key.
  await page.keyboard.down('ArrowLeft');
  await page.keyboard.up('ArrowLeft');
  await expect(voteResult(page)).toBeAttached();
  await expect(points(page)).toHaveText('11');
  await expect(arrowKeys).toHaveText(['Next', 'Next']);
  // After a vote by key the deck does not advance automatically.
  await page.waitForTimeout(ADVANCED_WITHIN_MS);
  await expect(frontQuestion(page)).toHaveText(questions[0] ?? '');
  await page.keyboard.press('ArrowRight');
  await expect(frontQuestion(page)).not.toHaveText(questions[0] ?? '');
  questions.push(await frontQuestion(page).textContent());
  await page.keyboard.press('s');
  await expect(frontQuestion(page)).not.toHaveText(questions[1] ?? '');
  questions.push(await frontQuestion(page).textContent());
  await page.keyboard.press('ArrowDown');
  await expect(frontQuestion(page)).not.toHaveText(questions[2] ?? '');
  await page.keyboard.press('u');
  await expect(frontQuestion(page)).toHaveText(questions[2] ?? '');
  await page.keyboard.press('ArrowUp');
  await expect(frontQuestion(page)).toHaveText(questions[1] ?? '');
  await page.keyboard.press('ArrowRight');
  await expect(points(page)).toHaveText('12');
  await expect(voteResult(page)).toBeAttached();
});

test('the focus moves with the cards, and changes are announced', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 2);
  const firstQuestion = (await frontQuestion(page).textContent()) ?? '';
  const announcement = page.locator('#main [aria-live]').first();
  await expect(announcement).toHaveText(firstQuestion);
  await frontCard(page).locator('.btn-option').first().focus();
  await page.keyboard.press('Enter');
  await expect(frontCard(page).locator('[aria-live]')).toHaveText(/\d percent/);
  await page.keyboard.press('ArrowDown');
  await expect(frontQuestion(page)).not.toHaveText(firstQuestion);
  await expect(frontCard(page)).toBeFocused();
  await expect(announcement).toHaveText((await frontQuestion(page).textContent()) ?? '');
  await deckButton(page, 'Skip').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
  await expect(page.locator('#main')).toBeFocused();
  await expect(announcement).toHaveText('No more cards');
});

test('Undo returns to a card and keeps its vote, which can then be changed', async ({ newUser, server }) => {
  // With reduced motion the card waits for Next.
  const { page } = await openDeck(newUser, server, 2, { reducedMotion: 'reduce' });
  const firstQuestion = (await frontQuestion(page).textContent()) ?? '';
  await expect(deckButton(page, 'Undo')).toHaveAttribute('aria-disabled', 'true');
  const voteResponse = page.waitForResponse(/\/vote$/);
  await frontCard(page).locator('.btn-option').first().click();
  const { votesCount } = (await (await voteResponse).json()).poll;
  await expect(voteResult(page)).toBeAttached();
  await deckButton(page, 'Next').click();
  await expect(frontQuestion(page)).not.toHaveText(firstQuestion);
  await deckButton(page, 'Undo').click();
  await expect(frontQuestion(page)).toHaveText(firstQuestion);
  const optionButtons = frontCard(page).locator('.btn-option');
  await expect(optionButtons.first()).toHaveAttribute('aria-pressed', 'true');
  await frontCard(page).getByRole('button', { name: 'Keep my vote' }).click();
  await expect(voteResult(page)).toBeAttached();
  await deckButton(page, 'Undo').click();
  const changed = page.waitForResponse((response) => response.request().method() === 'PUT');
  await optionButtons.last().click();
  const { poll } = await (await changed).json();
  expect(poll.votes[0].option).toBe(2);
  expect(poll.votesCount).toBe(votesCount);
  await expect(points(page)).toHaveText('11');
});

test('only the first three cards have a hint that cards can be swiped', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 4, { reducedMotion: 'reduce' });
  for (let card = 1; card <= 3; card += 1) {
    await expect(page.getByText('Swipe to vote')).toBeVisible();
    const question = (await frontQuestion(page).textContent()) ?? '';
    await deckButton(page, 'Skip').click();
    await expect(frontQuestion(page)).not.toHaveText(question);
  }
  await expect(page.getByText('Swipe to vote')).toHaveCount(0);
});

test('after the last card the skipped cards can be shown again', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 3, { reducedMotion: 'reduce' });
  await frontCard(page).locator('.btn-option').first().click();
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

for (const [broken, breaksReload] of [
  ['the next page of the deck', false],
  ['the deck', true],
] as const) {
  test(`if ${broken} cannot be loaded, Try again does so after the last card`, async ({ newUser }) => {
    const { page: maker } = await newUser({ serviceWorkers: 'block' });
    const template = await createTemplatePoll(maker);
    const { page, monitor } = await newUser({ serviceWorkers: 'block', reducedMotion: 'reduce' });
    await register(page, newName('dora'));
    monitor.expectStatus(500, /\/api\/explore\?/);
    let isBroken = true;
    let isLoaded = false;
    let failureCount = 0;
    await page.route('**/api/explore?*', (route) => {
      const isNext = route.request().url().includes('cursor=');
      if (isBroken && (isNext || (breaksReload && isLoaded))) {
        failureCount += 1;
        return respondWithError(route);
      }
      isLoaded = true;
      const data = [copyOfPoll(template, isNext ? 2 : 1)];
      return route.fulfill({ json: { data, nextCursor: isNext ? null : 'next' } satisfies DeckPage });
    });
    await page.goto('/explore');
    await expect(frontQuestion(page)).toHaveText('Number 1?');
    await deckButton(page, 'Skip').click();
    const retryButton = page.getByRole('button', { name: 'Try again' });
    await expect(retryButton).toBeVisible();
    // The automatic attempts are over: two at the start, and two after the last card.
    await expect.poll(() => failureCount).toBe(4);
    isBroken = false;
    await retryButton.click();
    await expect(frontQuestion(page)).toHaveText('Number 2?');
  });
}

test('reporting a poll shows the next card, and Undo brings the poll back', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 2);
  const firstQuestion = (await frontQuestion(page).textContent()) ?? '';
  await frontCard(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
  await page.getByRole('radio', { name: 'Spam' }).check();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(frontQuestion(page)).not.toHaveText(firstQuestion);
  await expect(page.getByText('Reported as spam')).toBeVisible();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(frontQuestion(page)).toHaveText(firstQuestion);
});

test('if a report cannot be stored, the focus remains on the Report button', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 1);
  await frontCard(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
  await page.getByRole('radio', { name: 'Spam' }).check();
  await page.evaluate(() => {
    const { add, put } = IDBObjectStore.prototype;
    const failForOps = (write: typeof put) =>
      function writeExceptOps(this: IDBObjectStore, value: unknown, key?: IDBValidKey) {
        if (this.name === 'ops') throw new DOMException('No room', 'QuotaExceededError');
        return write.call(this, value, key);
      };
    Object.assign(IDBObjectStore.prototype, { add: failForOps(add), put: failForOps(put) });
  });
  const button = page.getByRole('button', { name: 'Report', exact: true });
  await button.click();
  await expect(page.getByText('Your report was not saved')).toBeVisible();
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
});

test('with reduced motion nothing is animated, and the result is shown until Next is pressed', async ({
  newUser,
  server,
}) => {
  const { page } = await openDeck(newUser, server, 2, { reducedMotion: 'reduce' });
  const firstQuestion = (await frontQuestion(page).textContent()) ?? '';
  await swipe(page, { x: 150 }, async () => {
    await expect(page.locator('.deck')).toHaveAttribute('data-lean', '2');
    const card = page.locator('[data-place="0"] .deck-swipe');
    expect(await card.evaluate(({ style }) => style.transform)).toBe('');
  });
  await expect(voteResult(page)).toBeAttached();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  await page.waitForTimeout(ADVANCED_WITHIN_MS);
  await expect(frontQuestion(page)).toHaveText(firstQuestion);
  await deckButton(page, 'Next').click();
  await expect(frontQuestion(page)).not.toHaveText(firstQuestion);
});

test('axe finds no violations on a card and its result', { tag: '@core' }, async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 2, { reducedMotion: 'reduce' });
  await expectNoViolations(page, 'a card');
  await frontCard(page).locator('.btn-option').first().click();
  await expect(page.getByText(COMPARISON)).toBeVisible();
  await expectNoViolations(page, 'a result');
});
