import { expect } from '@playwright/test';
import { voteAsNewUsers } from './testing/crowd.ts';
import { PHONE, SMALLEST } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a double tap on an image votes without leaving the list, and the percentages fit their badges', async ({
  newUser,
  server,
}) => {
  const question = 'Quick or quicker?';
  const { page: maker } = await newUser();
  await register(maker, newName('uma'));
  const poll = await postPoll(maker, question, { captions: ['Quick', 'Quicker'] });
  // With its votes the poll is trending: on a phone, the images of its card are then the vote buttons.
  await voteAsNewUsers(server, poll.id, 3, 2);

  const { page } = await newUser({ viewport: PHONE });
  await registerAndOpenHome(page, newName('vic'));
  const voteButton = card(page, question).getByRole('button', { name: 'Vote for Quicker' });
  await voteButton.hover();
  // The second tap hits the same position, whatever element is there now.
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.down();
  await page.mouse.up();
  await expect(card(page, question)).toContainText('100%');
  await expect(page).toHaveURL(/\/home$/);

  for (const viewport of [PHONE, SMALLEST]) {
    await page.setViewportSize(viewport);
    await expect(card(page, question).locator('.letter')).toHaveCount(2);
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

  // The link is ignored until the time for a double tap has passed.
  await expect(async () => {
    await card(page, question).getByRole('link', { name: question }).click();
    await expect(page).toHaveURL(/\/poll\//, { timeout: 1_000 });
  }).toPass();
});
