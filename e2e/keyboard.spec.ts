import { expect, type Locator, type Page } from '@playwright/test';
import { card, newName, PASSWORD, points } from './testing/people.ts';
import { colourImage, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** The feed of a server that other tests have used can be a long one. */
const STOPS_MAX = 300;

/** Moves by Tab, or back by Shift and Tab, until `target` has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press(key);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(target).toBeFocused();
}

test('a login, the menu and a vote need nothing but the keyboard', async ({ newPerson }) => {
  const question = 'Keys or mouse?';
  const name = newName('kaya');
  const { page: maker } = await newPerson();
  await register(maker, newName('kilian'));
  await postPoll(maker, question);
  const { page: elsewhere } = await newPerson();
  await register(elsewhere, name);

  const { page } = await newPerson({ serviceWorkers: 'block' });
  await page.goto('/auth?next=/home');
  const [logInTab, signUpTab] = [
    page.getByRole('tab', { name: 'Log In' }),
    page.getByRole('tab', { name: 'Sign Up' }),
  ];
  await test.step('the tabs by arrows', async () => {
    await tabTo(page, logInTab);
    // The page that the server sends has no handlers before the script has run.
    await expect(async () => {
      await logInTab.focus();
      await page.keyboard.press('ArrowRight');
      await expect(signUpTab).toBeFocused({ timeout: 1_000 });
    }).toPass();
    await expect(signUpTab).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByLabel('Email')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(logInTab).toBeFocused();
    await expect(logInTab).toHaveAttribute('aria-selected', 'true');
  });
  await test.step('the login', async () => {
    await tabTo(page, page.getByLabel('Username or email'));
    await page.keyboard.type(name);
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/home');
    await expect(page.locator('#main')).toBeFocused();
    await expect(card(page, question)).toBeVisible();
  });
  await test.step('the menu', async () => {
    const menu = page.getByRole('button', { name: 'Menu' });
    const logOut = page.getByRole('banner').getByRole('button', { name: 'Log out' });
    await page.reload();
    await expect(card(page, question)).toBeVisible();
    await tabTo(page, menu, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(logOut).toBeVisible();
    await tabTo(page, page.getByRole('banner').getByRole('link', { name: 'Settings' }));
    await page.keyboard.press('Escape');
    await expect(logOut).toBeHidden();
    await expect(menu).toBeFocused();
  });
  await test.step('the vote', async () => {
    const buttons = card(page, question).locator('[data-zone="buttons"]');
    await tabTo(page, buttons.getByRole('button', { name: 'That' }));
    await page.keyboard.press('ArrowLeft');
    await expect(buttons.getByRole('button', { name: 'This' })).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(buttons.getByRole('button', { name: 'That' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(card(page, question)).toContainText('100%');
    await expect(points(page)).toHaveText('12');
  });
});

test('a poll is made, and a change that waits is discarded, by the keyboard alone', async ({ newPerson }) => {
  const question = 'Press or click?';
  const name = newName('klara');
  const { page: maker } = await newPerson();
  await register(maker, newName('konrad'));
  await postPoll(maker, question);
  const { page, watch } = await newPerson();
  await register(page, name);
  // The login earns a point, so that there is something to slide.
  await page.request.post('/api/login', { data: { username: name, password: PASSWORD } });
  await page.goto('/home');
  await expect(points(page)).toHaveText('11');
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });

  /** Moves on by one Tab, and `target` has the focus. */
  async function tabOnTo(target: Locator): Promise<void> {
    await page.keyboard.press('Tab');
    await expect(target).toBeFocused();
  }

  await test.step('the form, field by field', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Create Poll' }));
    await page.keyboard.press('Enter');
    await expect(dialog.getByLabel('Question')).toBeFocused();
    await page.keyboard.type('Type or speak?');
    for (const letter of ['A', 'B']) {
      await tabOnTo(dialog.getByLabel(`Add image ${letter}`));
      const file = { name: `${letter}.jpg`, mimeType: 'image/jpeg', buffer: await colourImage('#c40') };
      await page.locator('input:focus').setInputFiles(file);
      await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeFocused();
    }
    await tabOnTo(dialog.getByLabel('Caption of option A'));
    await page.keyboard.type('Type');
    await tabOnTo(dialog.getByLabel('Caption of option B'));
    await tabOnTo(dialog.getByRole('radio', { name: '3 days' }));
    await page.keyboard.press('ArrowRight');
    await expect(dialog.getByRole('radio', { name: '7 days' })).toBeFocused();
    await expect(dialog.getByRole('radio', { checked: true })).toHaveText('7 days');
    await tabOnTo(dialog.getByLabel('Responses wanted'));
    await page.keyboard.press('ArrowRight');
    await expect(dialog.getByText('Costs 11 points')).toBeVisible();
    await tabOnTo(dialog.getByRole('button', { name: 'Create Poll' }));
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Poll created!')).toBeVisible();
    await expect(points(page)).toHaveText('0');
    await expect(page.locator('#main')).toBeFocused();
  });

  await test.step('the discarding', async () => {
    watch.expectLosses();
    await untilKept(page);
    await page.context().setOffline(true);
    await tabTo(page, card(page, question).getByRole('button', { name: 'That' }).last());
    await page.keyboard.press('Enter');
    await expect(card(page, question)).toContainText('Waiting to sync');
    await tabTo(page, page.getByRole('button', { name: 'Menu' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('banner').getByRole('link', { name: 'Outbox' }));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/outbox');
    await tabTo(page, page.getByRole('button', { name: `Discard: ${question}` }));
    await page.keyboard.press('Enter');
    const sure = page.getByRole('dialog');
    await expect(sure).toBeVisible();
    await tabTo(page, sure.getByRole('button', { name: 'Discard' }));
    await page.keyboard.press('Enter');
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
    await expect(page.locator('#main')).toBeFocused();
  });
});
