import { expect, type Locator, type Page } from '@playwright/test';
import { card, newName, PASSWORD, points } from './testing/people.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

const STOPS_MAX = 60;

/** Moves by Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press('Tab');
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

  const { page } = await newPerson();
  await page.goto('/auth?next=/home');
  const [logInTab, signUpTab] = [
    page.getByRole('tab', { name: 'Log In' }),
    page.getByRole('tab', { name: 'Sign Up' }),
  ];
  await test.step('the tabs by arrows', async () => {
    await tabTo(page, logInTab);
    await page.keyboard.press('ArrowRight');
    await expect(signUpTab).toBeFocused();
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
    await tabTo(page, menu);
    await page.keyboard.press('Enter');
    await expect(logOut).toBeVisible();
    await tabTo(page, page.getByRole('banner').getByRole('link', { name: 'Settings' }));
    await page.keyboard.press('Escape');
    await expect(logOut).toBeHidden();
    await expect(menu).toBeFocused();
  });
  await test.step('the vote', async () => {
    await tabTo(page, card(page, question).getByRole('button', { name: 'That' }).last());
    await page.keyboard.press('Enter');
    await expect(card(page, question)).toContainText('100%');
    await expect(points(page)).toHaveText('12');
  });
});
