import type { Page } from '@playwright/test';
import { ensureBuild } from '#scripts/run/children.ts';
import { seedServer } from '#scripts/run/seed-server.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { newPhone, newSlowPage, openCold, openUntilCached, signUp, withBrowser } from './load/phone.ts';
import { median } from './load/quantiles.ts';
import { withStaticPages } from './load/static-pages.ts';
import { withServer } from './owner-server.ts';

const OFFLINE_MAX = 0.75;
const COLD_MAX = 1.1;
const LOADS_PER_ROUND = 3;

/** Init script of the page: registers the question of the first card with the Element Timing API. */
function watchFirstCard(): void {
  const observer = new MutationObserver(() => {
    const question = document.querySelector('main article h3 a');
    question?.setAttribute('elementtiming', 'card');
    if (question) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** The time from the start of the navigation to the paint of the first card, in milliseconds. */
function cardPaintedMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const [first] = list.getEntries();
          if (first) resolve(Reflect.get(first, 'renderTime'));
        }).observe({ type: 'element', buffered: true });
      }),
  );
}

function firstPaintMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const [first] = list.getEntriesByName('first-contentful-paint');
          if (first) resolve(first.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

/**
 * Measures on a slow phone the first paint of /auth, opened for the first time over a slow network, and the first card of /home
 * offline. The references are static copies of both pages, opened for the first time over the slow network.
 */
export async function benchOffline({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  await ensureBuild();
  return withServer('', async ({ address }) => {
    await seedServer(address);
    return withBrowser((browser) =>
      withStaticPages(browser, address, async (staticAddress) => {
        const phone = await newPhone(browser);
        await signUp(phone, address, 'offline');
        await openUntilCached(phone, address);
        await phone.setOffline(true);

        const openApp = async () => {
          const page = await newSlowPage(phone);
          await page.addInitScript(watchFirstCard);
          const devTools = await phone.newCDPSession(page);
          await devTools.send('ServiceWorker.enable');
          // Includes the start of the service worker in the measurement, as when a user opens the app.
          await devTools.send('ServiceWorker.stopAllWorkers');
          const response = await page.goto(`${address}/home`);
          if (!response?.fromServiceWorker())
            throw new Error('The page was not served by the service worker');
          const ms = await cardPaintedMs(page);
          await page.close();
          return ms;
        };
        const tasks = {
          auth: () => openCold(browser, `${address}/auth`, firstPaintMs),
          authStatic: () => openCold(browser, `${staticAddress}/auth`, firstPaintMs),
          home: openApp,
          homeStatic: () => openCold(browser, `${staticAddress}/home`, firstPaintMs),
        };
        // Warms server and browser up.
        await measureInTurns(tasks, 1);
        const results = await measureInTurns(tasks, isQuick ? rounds : LOADS_PER_ROUND * rounds);
        const row = (
          metric: string,
          timesMs: readonly number[],
          referencesMs: readonly number[],
          max: number,
        ) => {
          const [ms, referenceMs] = [median(timesMs), median(referencesMs)];
          const value = `${ms.toFixed(0)} of ${referenceMs.toFixed(0)} ms`;
          return { metric, value, comparedValue: ms / referenceMs, target: { max } };
        };
        return [
          row(
            '/auth cold, CPU ÷ 4, 1.6 Mbit/s: first paint ÷ that of a static page',
            results.auth,
            results.authStatic,
            COLD_MAX,
          ),
          row(
            '/home offline, CPU ÷ 4: first card ÷ first paint of a static page, cold at 1.6 Mbit/s',
            results.home,
            results.homeStatic,
            OFFLINE_MAX,
          ),
        ];
      }),
    );
  });
}
