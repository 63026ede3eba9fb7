import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  expect,
  type Page,
} from '@playwright/test';
import { findBrowser } from '#scripts/browser/find-browser.ts';
import { IMAGE_CACHE } from '#sync/protocol/worker.ts';
import { fetchText } from './requests.ts';

/** The phone that Lighthouse emulates. */
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
  locale: 'en-GB',
};
/** By what factor the main thread of the page is slowed down. */
const CPU_SLOWDOWN = 4;
/** The network that Lighthouse emulates: 1.6 Mbit/s down, 750 kbit/s up, and a latency of 150 ms. */
const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const PASSWORD = 'user of the benchmarks';

async function launchOptions() {
  const { executablePath, args, env } = await findBrowser();
  return { executablePath, args, env: { ...process.env, ...env } };
}

/** Launches the browser of the end-to-end tests and passes it to `work`. */
export async function withBrowser<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await chromium.launch(await launchOptions());
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a browser context that emulates a phone, with empty storage. */
export function newPhone(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return browser.newContext({ ...PHONE, ...options });
}

/** Opens a browser context that emulates a phone and stores its profile in `folder`. */
export async function newPhoneWithProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { ...(await launchOptions()), ...PHONE });
}

/** Opens a page with a throttled CPU. */
export async function newSlowPage(phone: BrowserContext): Promise<Page> {
  const page = await phone.newPage();
  const devTools = await phone.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return page;
}

/** Opens a page with empty storage, a throttled CPU and a slow network; resolves with the result of `read`. */
export async function openCold<Result>(
  browser: Browser,
  url: string,
  read: (page: Page) => Promise<Result>,
): Promise<Result> {
  const phone = await newPhone(browser);
  const page = await newSlowPage(phone);
  const devTools = await phone.newCDPSession(page);
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await page.goto(url, { waitUntil: 'commit' });
  const result = await read(page);
  await phone.close();
  return result;
}

/** Signs a new user up in this browser context, and thereby logs them in. */
export async function signUp(phone: BrowserContext, address: string, username: string): Promise<void> {
  const response = await phone.request.post(`${address}/api/register`, {
    data: { username, email: `${username}@example.org`, password: PASSWORD },
  });
  if (!response.ok()) throw new Error(`${username} could not sign up: ${await response.text()}`);
}

/** Generates sample polls, on which nobody has voted. */
export async function generateSamplePolls(
  { address, cookie }: { address: string; cookie: string },
  count: number,
): Promise<void> {
  await fetchText(`${address}/api/admin/generate-polls`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie, Origin: address },
    body: JSON.stringify({ count }),
  });
}

/**
 * Opens /home, and waits until the service worker controls the page and the device has stored the images of the first screen and
 * the snapshot of the Polls tab.
 */
export async function openUntilCached(phone: BrowserContext, address: string): Promise<void> {
  const page = await phone.newPage();
  await page.goto(`${address}/home`);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  // Images of the first load that were requested before the worker controlled the page are not stored.
  await page.reload();
  await page.locator('article img').first().waitFor();
  await waitForFirstScreen(page);
  await expect
    .poll(() =>
      page.evaluate(async (name) => {
        const shown = [...document.images].filter(
          ({ loading, currentSrc }) => loading === 'eager' && currentSrc !== '',
        );
        const cached = await Promise.all(
          shown.map(({ currentSrc }) => caches.match(currentSrc, { cacheName: name })),
        );
        return cached.every((image) => image !== undefined);
      }, IMAGE_CACHE),
    )
    .toBe(true);
  await expect.poll(() => hasSnapshot(page)).toBe(true);
  await page.close();
}

/** Whether the browser has stored the snapshot of the Polls tab. */
function hasSnapshot(page: Page): Promise<boolean> {
  return page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const opening = indexedDB.open('this-or-that-device');
        opening.onsuccess = () => {
          const reading = opening.result.transaction('entries').objectStore('entries').get('homeSnapshot');
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result !== undefined);
          };
        };
      }),
  );
}

/** Waits until the network is idle and every image on the first screen has loaded. */
export async function waitForFirstScreen(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete && image.naturalWidth > 0),
  );
}
