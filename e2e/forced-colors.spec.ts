import { expect, type Locator, type Page } from '@playwright/test';
import { register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** A screenshot of an element without the focus or the pointer on it. */
async function screenshotOf(page: Page, element: Locator): Promise<Buffer> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  return element.screenshot({ animations: 'disabled' });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`with forced colours, ${colorScheme}, the selected tab and the state of a switch can be seen`, {
    tag: '@core',
  }, async ({ newUser }) => {
    const { page } = await newUser({ forcedColors: 'active', colorScheme });
    await page.goto('/auth');
    const tabs = page.getByRole('tablist').last();
    const signUpTab = tabs.getByRole('tab', { name: 'Sign Up' });
    const before = await screenshotOf(page, tabs);
    await expect(async () => {
      await signUpTab.click();
      await expect(signUpTab).toHaveAttribute('aria-selected', 'true', { timeout: 1_000 });
    }).toPass();
    expect((await screenshotOf(page, tabs)).equals(before)).toBe(false);

    await register(page, newName('frida'));
    await page.goto('/settings');
    const weeklyMail = page.getByRole('switch', { name: 'Email' });
    await expect(weeklyMail).toHaveAttribute('aria-disabled', 'false');
    const on = await screenshotOf(page, weeklyMail);
    await weeklyMail.click();
    await expect(weeklyMail).toHaveAttribute('aria-checked', 'false');
    await expect(weeklyMail).toHaveAttribute('aria-disabled', 'false');
    expect((await screenshotOf(page, weeklyMail)).equals(on)).toBe(false);
  });
}
