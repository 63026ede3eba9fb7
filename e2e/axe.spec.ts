import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import { card, createPoll, newName, signUp } from './testing/people.ts';
import { DESKTOP, PHONE } from './testing/screens.ts';
import { test } from './testing/test.ts';

/** These lead somebody who is signed in elsewhere. */
const FOR_VISITORS: readonly string[] = [paths.auth.pattern, paths.signup.pattern];
const SIGNED_IN = Object.values(paths)
  .map(({ pattern }) => pattern)
  .filter((pattern) => !FOR_VISITORS.includes(pattern));
const THEMES = ['dark', 'light'] as const;

/** Names what axe finds wrong on what is shown, in both themes and on both devices. */
async function expectNoViolations(page: Page, place: string): Promise<void> {
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    for (const theme of THEMES) {
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
      // Between the themes only colours differ.
      if (theme !== THEMES[0]) axe.withRules(['color-contrast']);
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      expect.soft(found, `${place}, ${theme}, ${viewport.width} px`).toEqual([]);
    }
  }
  await page.setViewportSize(PHONE);
}

async function expectRoutes(page: Page, pollId: string, patterns: readonly string[]): Promise<void> {
  for (const pattern of patterns) {
    await page.goto(pattern.replace(':id', pollId));
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await page.evaluate(() => document.fonts.ready);
    await expectNoViolations(page, pattern);
  }
}

test('axe finds nothing wrong on any screen', async ({ newPerson }) => {
  // It takes half a minute; a busy machine takes its time.
  test.slow();
  const question = 'Sweet or salty?';
  const { page: maker } = await newPerson();
  await signUp(maker, newName('axel'));
  await createPoll(maker, { question, captions: ['Sweet', 'Salty'] });
  const [poll] = await (await maker.request.get('/api/user/questions')).json();

  // Without motion nothing is half faded in when it is looked at.
  const { page, watch } = await newPerson({ viewport: PHONE, reducedMotion: 'reduce' });
  watch.expectStatus(403, /\/api\/admin\//);
  await test.step('as a visitor', () => expectRoutes(page, poll.id, FOR_VISITORS));
  await signUp(page, newName('bella'));
  await test.step('signed in', () => expectRoutes(page, poll.id, SIGNED_IN));

  await page.goto(paths.home.href());
  await test.step('the create dialog with what is wrong', async () => {
    await page.getByRole('button', { name: 'Create Poll' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(dialog.getByText('Question required')).toBeVisible();
    await expectNoViolations(page, 'create dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
  });
  await test.step('a vote that waits, the open menu and the outbox', async () => {
    watch.expectLosses();
    await page.context().setOffline(true);
    await card(page, question).getByRole('button', { name: 'Sweet' }).click();
    await expect(card(page, question)).toContainText('Waiting to sync');
    await expectNoViolations(page, 'a waiting vote');
    await page.getByRole('button', { name: 'Menu' }).click();
    await expectNoViolations(page, 'menu');
    await page.getByRole('link', { name: 'Outbox' }).click();
    await expect(page.getByRole('heading', { name: 'Waiting to sync · 1' })).toBeVisible();
    await expectNoViolations(page, 'outbox');
  });
});
