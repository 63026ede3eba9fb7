import { expect, type Page } from '@playwright/test';
import type { ErrorMonitor } from './error-monitor.ts';

/**
 * Holds the response to the next GET of `url`; later ones pass. `body` resolves with the JSON of that response when the server has
 * sent it; `release` delivers it to the page.
 */
export async function holdFirstResponse(page: Page, url: string) {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const { promise: body, resolve: receive } = Promise.withResolvers<unknown>();
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route(url, async (route) => {
    if (!isFirst || route.request().method() !== 'GET') return route.continue();
    isFirst = false;
    const response = await route.fetch();
    receive(await response.json());
    await released;
    await route.fulfill({ response });
    deliver();
  });
  return {
    body,
    async release(): Promise<void> {
      resolve();
      await delivered;
    },
  };
}

/** Goes offline and online again, as soon as the open settings have noticed each. */
export async function reconnect(page: Page, monitor: ErrorMonitor): Promise<void> {
  monitor.expectNetworkErrors();
  const notice = page.getByText(/^You are offline\. Connect to manage/).first();
  await page.context().setOffline(true);
  await expect(notice).toBeVisible();
  await page.context().setOffline(false);
  await expect(notice).toBeHidden();
}
