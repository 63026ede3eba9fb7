import { expect, type Page } from '@playwright/test';

/** Holds back the app's main script on every page until the returned function is called; `early.js` still runs. */
export async function holdMainScript(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/assets\/index-[\w-]+\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Waits until the app runs: it then removes `data-page` from the prerendered page, except from /home. */
export async function waitForApp(page: Page): Promise<void> {
  await expect(page.locator('[data-page]')).toHaveCount(0);
}

/** Adds up the layout shifts of a page from its start; the returned function reads the sum. */
export async function recordLayoutShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Reflect.set(window, 'shifts', shifts);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push(Reflect.get(entry, 'value'));
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => Reflect.get(window, 'shifts').reduce((a: number, b: number) => a + b, 0));
}

/** Expects the header, tabs and skeletons that /home shows before the app knows who is logged in. */
export async function expectHomeShell(page: Page): Promise<void> {
  await expect(page.getByRole('banner').getByRole('link', { name: 'This or That? Start' })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Polls', 'Refer & Earn']);
  await expect(page.getByRole('heading', { name: 'Latest Polls' })).toBeVisible();
  await expect(page.locator('main .pair')).toHaveCount(5);
  await expect(page.locator('#bottom-nav').getByRole('link', { name: 'Polls' })).toBeVisible();
}
