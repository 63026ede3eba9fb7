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

/** The phone that Lighthouse emulates. */
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
  locale: 'en-GB',
};
/** How much slower the page's main thread runs than on this machine. */
const CPU_SLOWDOWN = 4;
/** The network of that phone: 1.6 Mbit/s down, 750 kbit/s up, and 150 ms for each request. */
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

/** Passes the browser of the end-to-end tests to `work`. */
export async function withBrowser<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await chromium.launch(await launchOptions());
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** A phone that has never been here. */
export function newPhone(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return browser.newContext({ ...PHONE, ...options });
}

/** A phone whose storage stays in `folder`. */
export async function newPhoneWithProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { ...(await launchOptions()), ...PHONE });
}

/** A new page on a slow processor. */
export async function newSlowPage(phone: BrowserContext): Promise<Page> {
  const page = await phone.newPage();
  const devTools = await phone.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return page;
}

/** A phone that has never been here opens a page on a slow processor over a slow network; `read` answers what it found. */
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
  const found = await read(page);
  await phone.close();
  return found;
}

/** Logs a new user in on this phone. */
export async function signUp(phone: BrowserContext, address: string, username: string): Promise<void> {
  const answer = await phone.request.post(`${address}/api/register`, {
    data: { username, email: `${username}@example.org`, password: PASSWORD },
  });
  if (!answer.ok()) throw new Error(`${username} could not sign up: ${await answer.text()}`);
}

/** Makes so many polls that nobody here has voted on. */
export async function makeSamplePolls(
  { address, cookie }: { address: string; cookie: string },
  count: number,
): Promise<void> {
  const answer = await fetch(`${address}/api/admin/generate-polls`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie, Origin: address },
    body: JSON.stringify({ count }),
  });
  if (!answer.ok) throw new Error(`No sample polls: ${await answer.text()}`);
}

/** Opens /home until the service worker serves it, and the device has kept the images of its first screen and its snapshot. */
export async function openTwice(phone: BrowserContext, address: string): Promise<void> {
  const page = await phone.newPage();
  await page.goto(`${address}/home`);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.reload();
  await page.locator('article img').first().waitFor();
  await showsFirstScreen(page);
  await expect
    .poll(() =>
      page.evaluate(async (name) => {
        const shown = [...document.images].filter(
          ({ loading, currentSrc }) => loading === 'eager' && currentSrc !== '',
        );
        const found = await Promise.all(
          shown.map(({ currentSrc }) => caches.match(currentSrc, { cacheName: name })),
        );
        return found.every((image) => image !== undefined);
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
          const found = opening.result.transaction('entries').objectStore('entries').get('homeSnapshot');
          found.onsuccess = () => {
            opening.result.close();
            resolve(found.result !== undefined);
          };
        };
      }),
  );
}

/** Waits until every image on the screen has loaded, and nothing more is fetched. */
export async function showsFirstScreen(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete && image.naturalWidth > 0),
  );
}
