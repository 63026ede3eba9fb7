import { expect, type Page } from '@playwright/test';

export const PHONE = { width: 375, height: 812 };
export const DESKTOP = { width: 1280, height: 800 };
export const SMALLEST = { width: 320, height: 640 };

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { content, window: seen } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  expect.soft(content).toBeLessThanOrEqual(seen);
}
