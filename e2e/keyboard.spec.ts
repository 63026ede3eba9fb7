import { expect, type Locator, type Page } from '@playwright/test';
import { frontQuestion, openDeck } from './testing/deck.ts';
import { colourImage } from './testing/photos.ts';
import { DESKTOP, expectFocusShown, PHONE } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, PASSWORD, points } from './testing/user-actions.ts';

/** Polls of other tests can make the feed long. */
const TAB_PRESSES_MAX = 300;

/** Presses Tab or Shift+Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < TAB_PRESSES_MAX; presses += 1) {
    await page.keyboard.press(key);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(target).toBeFocused();
}

test('login, menu and vote can be used with only the keyboard', { tag: '@core' }, async ({ newUser }) => {
  const question = 'Keys or mouse?';
  const name = newName('kaya');
  const { page: maker } = await newUser();
  await register(maker, newName('kilian'));
  await postPoll(maker, question);
  const { page: otherDevice } = await newUser();
  await register(otherDevice, name);

  const { page } = await newUser({ serviceWorkers: 'block' });
  await page.goto('/auth?next=/home');
  const [logInTab, signUpTab] = [
    page.getByRole('tab', { name: 'Log In' }),
    page.getByRole('tab', { name: 'Sign Up' }),
  ];
  await test.step('the arrow keys switch between the tabs', async () => {
    await tabTo(page, logInTab);
    // The prerendered page has no event handlers before the app runs.
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
  await test.step('the login form', async () => {
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
  await test.step('voting', async () => {
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

test('a poll can be created and a waiting change discarded with only the keyboard', async ({ newUser }) => {
  const question = 'Press or click?';
  const name = newName('klara');
  const { page: maker } = await newUser();
  await register(maker, newName('konrad'));
  await postPoll(maker, question);
  const { page, monitor } = await newUser();
  await register(page, name);
  // With the point for a login, the slider for responses has two values.
  await page.request.post('/api/login', { data: { username: name, password: PASSWORD } });
  await page.goto('/home');
  await expect(points(page)).toHaveText('11');
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });

  /** Presses Tab once, which has to focus `target`. */
  async function tabOnceTo(target: Locator): Promise<void> {
    await page.keyboard.press('Tab');
    await expect(target).toBeFocused();
  }

  await test.step('the create dialog', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Create Poll' }));
    await page.keyboard.press('Enter');
    await expect(dialog.getByLabel('Question')).toBeFocused();
    await page.keyboard.type('Type or speak?');
    for (const letter of ['A', 'B']) {
      await tabOnceTo(dialog.getByLabel(`Add image ${letter}`));
      const file = { name: `${letter}.jpg`, mimeType: 'image/jpeg', buffer: await colourImage('#c40') };
      await page.locator('input:focus').setInputFiles(file);
      await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeFocused();
    }
    await tabOnceTo(dialog.getByLabel('Caption of option A'));
    await page.keyboard.type('Type');
    await tabOnceTo(dialog.getByLabel('Caption of option B'));
    await tabOnceTo(dialog.getByRole('radio', { name: '3 days' }));
    await page.keyboard.press('ArrowRight');
    await expect(dialog.getByRole('radio', { name: '7 days' })).toBeFocused();
    await expect(dialog.getByRole('radio', { checked: true })).toHaveText('7 days');
    await tabOnceTo(dialog.getByLabel('Responses wanted'));
    await page.keyboard.press('ArrowRight');
    await expect(dialog.getByText('Costs 11 points')).toBeVisible();
    await tabOnceTo(dialog.getByRole('button', { name: 'Create Poll' }));
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Poll created!')).toBeVisible();
    await expect(points(page)).toHaveText('0');
    await expect(page.locator('#main')).toBeFocused();
  });

  await test.step('discarding the change', async () => {
    monitor.expectNetworkErrors();
    await waitForServiceWorker(page);
    await page.context().setOffline(true);
    await tabTo(page, card(page, question).getByRole('button', { name: 'That' }));
    await page.keyboard.press('Enter');
    await expect(card(page, question)).toContainText('Waiting to sync');
    await tabTo(page, page.getByRole('button', { name: 'Menu' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('banner').getByRole('link', { name: 'Outbox' }));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/outbox');
    await tabTo(page, page.getByRole('button', { name: `Discard: ${question}` }));
    await page.keyboard.press('Enter');
    const confirmation = page.getByRole('dialog');
    await expect(confirmation).toBeVisible();
    await tabTo(page, confirmation.getByRole('button', { name: 'Discard' }));
    await page.keyboard.press('Enter');
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
    await expect(page.locator('#main')).toBeFocused();
  });
});

test('a toast shows which of its buttons has the focus', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(page, newName('kuno'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await dialog.getByLabel('Question').fill('Shown or hidden?');
  await dialog.getByRole('button', { name: 'Close' }).click();
  for (const [name, key] of [
    ['Undo', 'F8'],
    ['Dismiss', 'Tab'],
  ] as const) {
    const button = page.getByRole('status').getByRole('button', { name });
    await expect(button).toBeVisible();
    await page.keyboard.press(key);
    await expect(button).toBeFocused();
    await expectFocusShown(button, page.locator('[role=status] > *', { hasText: 'Draft deleted' }));
  }
});

test('F8 moves the focus to the button of a toast', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(page, newName('klaus'));
  await page.getByRole('button', { name: 'Create Poll' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Poll' });
  await dialog.getByLabel('Question').fill('Far or near?');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('Draft deleted')).toBeVisible();
  await page.keyboard.press('F8');
  await expect(page.getByRole('status').getByRole('button', { name: 'Undo' })).toBeFocused();
});

for (const viewport of [PHONE, DESKTOP]) {
  test(`at ${viewport.width} px the header never covers the element that has the focus`, async ({
    newUser,
  }) => {
    const { page: maker } = await newUser({ serviceWorkers: 'block' });
    for (const question of ['Up or down?', 'Back or forth?', 'Over or under?']) {
      await register(maker, newName('karl'));
      await postPoll(maker, question);
    }
    const { page } = await newUser({ serviceWorkers: 'block', viewport: { ...viewport, height: 480 } });
    await registerAndOpenHome(page, newName('kim'));
    const lastCard = page.getByRole('article', { name: 'Up or down?' }).last();
    await expect(lastCard).toBeVisible();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await lastCard.getByRole('link').focus();
    const menu = page.getByRole('button', { name: 'Menu' });
    const covered: string[] = [];
    for (let presses = 0; presses < TAB_PRESSES_MAX; presses += 1) {
      await page.keyboard.press('Shift+Tab');
      if (await menu.evaluate((button) => button === document.activeElement)) break;
      const html = await page.evaluate(() => {
        const element = document.activeElement;
        const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
        const isCovered = document
          .elementFromPoint(left + width / 2, top + height / 2)
          ?.closest('header.sticky');
        return isCovered ? element?.outerHTML.slice(0, 160) : undefined;
      });
      if (html !== undefined) covered.push(html);
    }
    expect(covered).toEqual([]);
    await test.step('the focus on the header does not scroll the page', async () => {
      await expect(menu).toBeFocused();
      await page.evaluate(() => scrollTo(0, 300));
      const firstLink = page.getByRole('banner').getByRole('link').first();
      await tabTo(page, firstLink, 'Shift+Tab');
      await tabTo(page, menu);
      expect(await page.evaluate(() => scrollY)).toBe(300);
    });
  });
}

test('on Explore, Esc closes the menu, and the deck ignores keys while the menu is open', async ({
  newUser,
  server,
}) => {
  const { page } = await openDeck(newUser, server, 2);
  const question = (await frontQuestion(page).textContent()) ?? '';
  const menu = page.getByRole('button', { name: 'Menu' });
  const logOut = page.getByRole('banner').getByRole('button', { name: 'Log out' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await expect(logOut).toBeVisible();
  for (const key of ['ArrowLeft', 'ArrowDown']) await page.keyboard.press(key);
  await page.keyboard.press('Escape');
  await expect(logOut).toBeHidden();
  await expect(menu).toBeFocused();
  await expect(frontQuestion(page)).toHaveText(question);
  await expect(points(page)).toHaveText('10');
  await page.keyboard.press('ArrowDown');
  await expect(frontQuestion(page)).not.toHaveText(question);
});
