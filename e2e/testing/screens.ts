import { expect, type Locator, type Page } from '@playwright/test';

export const PHONE = { width: 375, height: 812 };
export const DESKTOP = { width: 1280, height: 800 };
export const SMALLEST = { width: 320, height: 640 };

/** Waits for two frames, after which the effects of an event are on the screen. */
export function waitTwoFrames(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/**
 * Starts to watch the sockets of a page. `isOpen` resolves once one has opened: from then on the page receives live updates.
 * (Playwright's `websocket` event already comes when a socket is created.)
 */
export async function watchSocket(page: Page): Promise<{ isOpen: Promise<unknown> }> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.enable');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  devTools.once('Network.webSocketHandshakeResponseReceived', resolve);
  return { isOpen: promise };
}

/** From now on, only `page.clock.runFor` advances the clock of a page. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  // A clock can only be stopped at a time in the future.
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Shows pages opened from now on with text of twice the usual size. */
export async function enlargeText(page: Page): Promise<void> {
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => {
      document.documentElement.style.fontSize = '200%';
    });
  });
}

export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  // After a resize the layout may not have been updated yet.
  await expect.soft
    .poll(() =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return Math.max(0, scrollWidth - clientWidth);
      }),
    )
    .toBe(0);
}

/** Expects that the outline of the focused `element` has another colour than `surface`, on which it is drawn. */
export async function expectFocusShown(element: Locator, surface: Locator): Promise<void> {
  await expect(element).toBeFocused();
  await expect(element).toHaveCSS('outline-style', 'solid');
  const background = await surface.evaluate((node) => getComputedStyle(node).backgroundColor);
  await expect(element).not.toHaveCSS('outline-color', background);
}
