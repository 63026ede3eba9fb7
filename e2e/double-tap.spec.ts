import { expect } from '@playwright/test';
import { crowdVotes } from './testing/crowd.ts';
import { card, newName } from './testing/people.ts';
import { PHONE, SMALLEST } from './testing/screens.ts';
import { joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

test('a double tap on an image votes, stays on the list and shows readable figures', async ({
  newPerson,
  server,
}) => {
  const question = 'Quick or quicker?';
  const { page: asker } = await newPerson();
  await register(asker, newName('uma'));
  const poll = await postPoll(asker, question, { captions: ['Quick', 'Quicker'] });
  await crowdVotes(server, poll.id, 1, 2);

  const { page } = await newPerson({ viewport: PHONE });
  await joinIn(page, newName('vic'));
  const half = card(page, question).getByRole('button', { name: 'Vote for Quicker' });
  await half.hover();
  // Where the first tap was, whatever lies there by then.
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.down();
  await page.mouse.up();
  await expect(card(page, question)).toContainText('100%');
  await expect(page).toHaveURL(/\/home$/);

  for (const viewport of [PHONE, SMALLEST]) {
    await page.setViewportSize(viewport);
    for (const letter of await card(page, question).locator('.letter').all()) {
      const { inner, outer } = await letter.evaluate((badge) => ({
        inner: badge.querySelector('.figures')?.getBoundingClientRect().toJSON(),
        outer: badge.getBoundingClientRect().toJSON(),
      }));
      expect(inner.left).toBeGreaterThan(outer.left);
      expect(inner.right).toBeLessThanOrEqual(outer.right);
      expect(inner.bottom).toBeLessThanOrEqual(outer.bottom);
    }
  }

  // Not before the time of a double tap is over.
  await expect(async () => {
    await card(page, question).getByRole('link', { name: question }).click();
    await expect(page).toHaveURL(/\/poll\//, { timeout: 1_000 });
  }).toPass();
});
