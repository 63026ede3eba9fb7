import { expect, type Page } from '@playwright/test';
import { card, newName, points } from './testing/people.ts';
import { joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

/** Notes in each frame from now on what moves or fades for more than a hundredth of a second. */
function watchMotion(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen: string[] = [];
    Reflect.set(window, 'motionSeen', seen);
    const look = () => {
      for (const animation of document.getAnimations()) {
        const { duration } = animation.effect?.getComputedTiming() ?? {};
        if (Number(duration) > 10) seen.push(`${animation.constructor.name} of ${duration} ms`);
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

for (const reducedMotion of ['reduce', 'no-preference'] as const) {
  test(`a vote moves ${reducedMotion === 'reduce' ? 'nothing for whoever wants less motion' : 'what it is about'}`, async ({
    newPerson,
  }) => {
    const question = `Calm or lively, ${reducedMotion}?`;
    const { page: maker } = await newPerson();
    await register(maker, newName('milan'));
    await postPoll(maker, question);
    const { page } = await newPerson({ reducedMotion });
    await joinIn(page, newName('mina'));
    await expect(card(page, question)).toBeVisible();
    await watchMotion(page);
    await card(page, question).getByRole('button', { name: 'That' }).last().click();
    await expect(card(page, question)).toContainText('100%');
    await expect(points(page)).toHaveText('11');
    const seen = await page.evaluate(() => Reflect.get(window, 'motionSeen'));
    if (reducedMotion === 'reduce') expect(seen).toEqual([]);
    else expect(seen).not.toEqual([]);
  });
}
