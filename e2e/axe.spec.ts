import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import { expectNoViolations } from './testing/axe.ts';
import {
  openScreen,
  PUBLIC_SCREENS,
  pollScreen,
  type Screen,
  shareScreen,
  USER_SCREENS,
  VISITOR_SCREENS,
} from './testing/every-screen.ts';
import { passkeyScreens } from './testing/passkey-screens.ts';
import { PHONE } from './testing/screens.ts';
import { postPoll, register, waitForServiceWorker } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, newName, signUp } from './testing/user-actions.ts';

async function expectScreens(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await openScreen(page, screen);
    await page.evaluate(() => document.fonts.ready);
    await expectNoViolations(page, screen.path);
  }
}

/** With reduced motion no element is half faded in when axe checks it. */
const STILL_PHONE = { viewport: PHONE, reducedMotion: 'reduce' } as const;

async function postPollAsOtherUser(newUser: NewUser, question: string) {
  const { page } = await newUser();
  await register(page, newName('axel'));
  return postPoll(page, question, { captions: ['Sweet', 'Salty'] });
}

// Each of these tests takes about 15 seconds, more on a busy machine.
test('axe finds no violations on the visitors’ screens', async ({ newUser }) => {
  test.slow();
  const poll = await postPollAsOtherUser(newUser, 'Sweet or salty?');
  const { page } = await newUser({ ...STILL_PHONE, serviceWorkers: 'block' });
  await expectScreens(page, [...VISITOR_SCREENS, shareScreen(poll), ...PUBLIC_SCREENS]);
  await openScreen(page, shareScreen(poll));
  await page.getByRole('button', { name: 'Sweet' }).click();
  await expect(page.getByRole('note')).toContainText('Sweet');
  await expectNoViolations(page, 'a vote before the sign-up');
  await page.goto(paths.auth.href());
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('dialog', { name: 'Forgot password?' })).toBeVisible();
  await expectNoViolations(page, 'forgot-password dialog');
});

test('axe finds no violations on the users’ screens', async ({ newUser }) => {
  test.slow();
  const question = 'Sweet or salty today?';
  const poll = await postPollAsOtherUser(newUser, question);
  const { page, monitor } = await newUser(STILL_PHONE);
  await test.step('a toast, and all screens', async () => {
    await signUp(page, newName('bella'));
    await expect(card(page, question)).toBeVisible();
    await expect(page.getByText('Registration successful')).toBeVisible();
    await expectNoViolations(page, 'toast');
    await expectScreens(page, [...USER_SCREENS, pollScreen(poll)]);
  });

  await page.goto(paths.home.href());
  await test.step('the create dialog with its errors', async () => {
    await page.getByRole('button', { name: 'Create Poll' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(dialog.getByText('Question required')).toBeVisible();
    await expectNoViolations(page, 'create dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
  });
  await test.step('a waiting vote beside the connection card, the open menu, the outbox and the logout dialog', async () => {
    monitor.expectNetworkErrors();
    await waitForServiceWorker(page);
    await page.context().setOffline(true);
    await card(page, question).getByRole('button', { name: 'Sweet' }).click();
    await expect(card(page, question)).toContainText('Waiting to sync');
    // A button of the connection card.
    await expect(page.getByRole('button', { name: 'Hide' })).toBeVisible();
    await expectNoViolations(page, 'a waiting vote');
    await page.getByRole('button', { name: 'Menu' }).click();
    await expectNoViolations(page, 'menu');
    await page.getByRole('link', { name: 'Outbox' }).click();
    await expect(page.getByRole('heading', { name: 'Waiting to sync · 1' })).toBeVisible();
    await expectNoViolations(page, 'outbox');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await expect(page.getByRole('dialog', { name: 'Log out with 1 change waiting?' })).toBeVisible();
    await expectNoViolations(page, 'logout dialog');
  });
});

test('axe finds no violations on the passkey screens and dialogs', async ({ newUser }) => {
  test.slow();
  const { page, monitor } = await newUser({ ...STILL_PHONE, serviceWorkers: 'block' });
  await register(page, newName('carla'));
  for (const { name, open } of passkeyScreens(page, monitor)) {
    await open();
    // No element is shown as hovered.
    await page.mouse.move(0, 0);
    await expectNoViolations(page, name);
  }
});
