import { expect, type Page } from '@playwright/test';
import { deckButton, openDeck } from './testing/deck.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

type SeenAnimation = { name: string; isInCard: boolean };

/** Records in `window.animationsSeen` the animations and transitions that take longer than 10 ms. */
function recordAnimations(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen: SeenAnimation[] = [];
    Reflect.set(window, 'animationsSeen', seen);
    const check = () => {
      for (const animation of document.getAnimations()) {
        const { effect } = animation;
        if (!(effect instanceof KeyframeEffect)) continue;
        const { duration } = effect.getComputedTiming();
        if (Number(duration) <= 10) continue;
        seen.push({
          name: `${animation.constructor.name} of ${duration} ms`,
          isInCard: effect.target?.closest('article') != null,
        });
      }
      requestAnimationFrame(check);
    };
    check();
  });
}

for (const reducedMotion of ['reduce', 'no-preference'] as const) {
  test(`a vote is ${reducedMotion === 'reduce' ? 'not animated with reduced motion' : 'animated without reduced motion'}`, async ({
    newUser,
  }) => {
    const question = `Calm or lively, ${reducedMotion}?`;
    const { page: maker } = await newUser();
    await register(maker, newName('milan'));
    await postPoll(maker, question);
    const { page } = await newUser({ reducedMotion });
    await registerAndOpenHome(page, newName('mina'));
    await expect(card(page, question)).toBeVisible();
    await recordAnimations(page);
    await card(page, question).getByRole('button', { name: 'That' }).click();
    await expect(card(page, question)).toContainText('100%');
    await expect(points(page)).toHaveText('11');
    const seen = await page.evaluate((): SeenAnimation[] => Reflect.get(window, 'animationsSeen'));
    if (reducedMotion === 'reduce') expect(seen).toEqual([]);
    else expect(seen.some(({ isInCard }) => isInCard)).toBe(true);
  });
}

test('the stage of the deck keeps its height while the last card leaves', async ({ newUser, server }) => {
  const { page } = await openDeck(newUser, server, 1, { reducedMotion: 'no-preference' });
  // A font that loads later could wrap the question anew.
  await page.evaluate(() => document.fonts.ready);
  await page.locator('.deck-stage').evaluate((stage: HTMLElement) => {
    const heights = new Set([stage.offsetHeight]);
    Reflect.set(window, 'heights', heights);
    new ResizeObserver(() => stage.isConnected && heights.add(stage.offsetHeight)).observe(stage);
  });
  await deckButton(page, 'Skip').click();
  await expect(page.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
  expect(await page.evaluate(() => [...Reflect.get(window, 'heights')])).toHaveLength(1);
});
