import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { DESKTOP, PHONE } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
/** Longer than the delay before the offer. */
const OFFERED_WITHIN_MS = 3_000;

/** Opens /home as a new user. Returns the page and the questions of `count` polls by other users. */
async function openHomeWithPolls(newUser: NewUser, count: number, options: Parameters<NewUser>[0] = {}) {
  const questions: string[] = [];
  const { page: maker } = await newUser();
  for (let index = 0; index < count; index += 1) {
    await register(maker, newName('mara'));
    questions.push((await postPoll(maker, newName('Now or later?'))).question);
  }
  const { page } = await newUser(options);
  await registerAndOpenHome(page, newName('ivo'));
  return { page, questions };
}

/** Fires `beforeinstallprompt`, which the browser fires only after the user has spent some time on the page. */
async function fireInstallPrompt(page: Page): Promise<void> {
  const wasPrevented = await page.evaluate(() => {
    const event = new Event('beforeinstallprompt', { cancelable: true });
    Object.assign(event, {
      async prompt() {
        Object.assign(window, { wasPrompted: true });
      },
    });
    return !window.dispatchEvent(event);
  });
  expect(wasPrevented).toBe(true);
}

const wasPrompted = (page: Page) => page.evaluate(() => Reflect.get(window, 'wasPrompted') === true);

async function vote(page: Page, question: string): Promise<void> {
  await card(page, question).getByRole('button', { name: 'That' }).click();
  await expect(card(page, question)).toContainText('100%');
}

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Keep it on your home screen' });

test('a phone offers the installation once, after the third vote, and then only in the menu', async ({
  newUser,
}) => {
  const { page, questions } = await openHomeWithPolls(newUser, 4, { hasTouch: true, isMobile: true });
  const [first = '', second = '', third = '', fourth = ''] = questions;
  await fireInstallPrompt(page);
  for (const question of [first, second]) await vote(page, question);
  await page.waitForTimeout(OFFERED_WITHIN_MS);
  await expect(sheet(page)).toBeHidden();

  await vote(page, third);
  await expect(sheet(page)).toBeVisible();
  await expect(sheet(page).getByRole('listitem')).toHaveText([
    'Opens instantlyLike an app, without a store',
    'Works without a signalVotes and polls are sent later',
    'Under 1 MBSmaller than one photo',
  ]);
  await expectNoViolations(page, 'the offer to install', [PHONE]);
  await sheet(page).getByRole('button', { name: 'Not now' }).click();
  await expect(sheet(page)).toBeHidden();

  await test.step('the installation is not offered again, even after a reload', async () => {
    await page.reload();
    await fireInstallPrompt(page);
    await vote(page, fourth);
    await page.waitForTimeout(OFFERED_WITHIN_MS);
    await expect(sheet(page)).toBeHidden();
  });

  await test.step('Install is in the menu until the browser has shown its prompt', async () => {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Install' }).click();
    await expect.poll(() => wasPrompted(page)).toBe(true);
    await page.getByRole('button', { name: 'Menu' }).click();
    await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Install' })).toHaveCount(0);
  });
});

test('the installation is not offered in a tab after another tab has offered it', async ({ newUser }) => {
  const { page, questions } = await openHomeWithPolls(newUser, 4, { hasTouch: true, isMobile: true });
  const [first = '', second = '', third = '', fourth = ''] = questions;
  const otherTab = await page.context().newPage();
  await otherTab.goto('/home');
  await fireInstallPrompt(otherTab);
  for (const question of [first, second]) await vote(otherTab, question);
  await page.bringToFront();
  await page.reload();
  await fireInstallPrompt(page);
  await vote(page, third);
  await sheet(page).getByRole('button', { name: 'Not now' }).click();
  await otherTab.bringToFront();
  await vote(otherTab, fourth);
  await otherTab.waitForTimeout(OFFERED_WITHIN_MS);
  await expect(sheet(otherTab)).toBeHidden();
});

test('Install on the sheet opens the browser’s prompt', { tag: '@core' }, async ({ newUser }) => {
  const { page, questions } = await openHomeWithPolls(newUser, 3, { hasTouch: true, isMobile: true });
  await fireInstallPrompt(page);
  for (const question of questions) await vote(page, question);
  await sheet(page).getByRole('button', { name: 'Install' }).click();
  await expect(sheet(page)).toBeHidden();
  expect(await wasPrompted(page)).toBe(true);
});

test('the installation is not offered while a dialog is open, but after the next vote', async ({
  newUser,
}) => {
  const { page, questions } = await openHomeWithPolls(newUser, 4, { hasTouch: true, isMobile: true });
  const [first = '', second = '', third = '', fourth = ''] = questions;
  await fireInstallPrompt(page);
  for (const question of [first, second, third]) await vote(page, question);
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await expect(dialog).toBeVisible();
  await page.waitForTimeout(OFFERED_WITHIN_MS);
  await expect(sheet(page)).toBeHidden();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await vote(page, fourth);
  await expect(sheet(page)).toBeVisible();
});

test('the installation is not offered during the warm-up of a new account', async ({ newUser }) => {
  const { page, questions } = await openHomeWithPolls(newUser, 4, { hasTouch: true, isMobile: true });
  const [first = '', second = '', third = '', fourth = ''] = questions;
  const { id } = await (await page.request.get('/api/user')).json();
  await page.evaluate(
    (userId) => localStorage.setItem('warm-up', JSON.stringify({ userId, votedIds: [] })),
    id,
  );
  await page.reload();
  const warmUpStrip = page.getByRole('region', { name: 'First votes' });
  await fireInstallPrompt(page);
  for (const question of [first, second, third]) await vote(page, question);
  await page.waitForTimeout(OFFERED_WITHIN_MS);
  await expect(sheet(page)).toBeHidden();
  await warmUpStrip.getByRole('button', { name: 'Not now' }).click();
  await vote(page, fourth);
  await expect(sheet(page)).toBeVisible();
});

test('a desktop offers the installation in a toast, not in a sheet', async ({ newUser }) => {
  const { page, questions } = await openHomeWithPolls(newUser, 3, { viewport: DESKTOP });
  await fireInstallPrompt(page);
  for (const question of questions) await vote(page, question);
  await expect(page.getByText('Keep it on your desktop')).toBeVisible();
  await expect(sheet(page)).toBeHidden();
  await page.getByRole('button', { name: 'Install' }).click();
  expect(await wasPrompted(page)).toBe(true);
});

test('an iPhone shows the three steps of the installation, and Install in the menu shows them again', async ({
  newUser,
}) => {
  const { page, questions } = await openHomeWithPolls(newUser, 3, {
    userAgent: IPHONE,
    hasTouch: true,
    isMobile: true,
  });
  for (const question of questions) await vote(page, question);
  await expect(sheet(page).getByRole('listitem')).toHaveText([
    '1Tap Share in Safari’s toolbar',
    '2Choose Add to Home Screen',
    '3Tap Add, then open it there',
  ]);
  await expect(sheet(page)).toContainText('Push messages work only in the installed app.');
  await expectNoViolations(page, 'the steps to install', [PHONE]);
  await sheet(page).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Install' }).click();
  await expect(sheet(page)).toContainText('Add to Home Screen');
});

test('the installation is not offered when the browser does not support it', async ({ newUser }) => {
  const { page, questions } = await openHomeWithPolls(newUser, 3, { hasTouch: true, isMobile: true });
  for (const question of questions) await vote(page, question);
  await page.waitForTimeout(OFFERED_WITHIN_MS);
  await expect(sheet(page)).toBeHidden();
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Install' })).toHaveCount(0);
});
