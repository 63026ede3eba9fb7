import type { Page } from '@playwright/test';
import { ensureBuild } from '#scripts/run/children.ts';
import { seedServer } from '#scripts/run/seed-server.ts';
import { newPhone, newSlowPage, openCold, openTwice, signUp, withBrowser } from './load/phone.ts';
import { type BenchOptions, inTurn, median, type Row } from './load/rows.ts';
import { withTwin } from './load/twin.ts';
import { withServer } from './owner-server.ts';

const OFFLINE_MAX = 0.75;
const COLD_MAX = 1.1;
const LOADS_OF_ROUND = 3;

/** Runs before the page: has the browser report when the question of the first card has been painted. */
function watchFirstCard(): void {
  const observer = new MutationObserver(() => {
    const question = document.querySelector('main article h3 a');
    question?.setAttribute('elementtiming', 'card');
    if (question) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** From the start of the navigation to the paint of the first card, in milliseconds. */
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
 * What a slow phone paints first of /auth, opened for the first time over a slow network, and the first card of /home
 * without a network; both compared with a static page that comes over the slow network for the first time.
 */
export async function benchOffline({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  await ensureBuild();
  return withServer('', async ({ address }) => {
    await seedServer(address);
    return withBrowser((browser) =>
      withTwin(browser, address, async (twin) => {
        const phone = await newPhone(browser);
        await signUp(phone, address, 'offline');
        await openTwice(phone, address);
        await phone.setOffline(true);

        const openApp = async () => {
          const page = await newSlowPage(phone);
          await page.addInitScript(watchFirstCard);
          const devTools = await phone.newCDPSession(page);
          await devTools.send('ServiceWorker.enable');
          // As when the app is opened: the worker has to start.
          await devTools.send('ServiceWorker.stopAllWorkers');
          const answer = await page.goto(`${address}/home`);
          if (!answer?.fromServiceWorker()) throw new Error('The page did not come from the service worker.');
          const ms = await cardPaintedMs(page);
          await page.close();
          return ms;
        };
        const tasks = {
          auth: () => openCold(browser, `${address}/auth`, firstPaintMs),
          authTwin: () => openCold(browser, `${twin}/auth`, firstPaintMs),
          home: openApp,
          homeTwin: () => openCold(browser, `${twin}/home`, firstPaintMs),
        };
        await inTurn(tasks, 1);
        const results = await inTurn(tasks, isQuick ? rounds : LOADS_OF_ROUND * rounds);
        const row = (metric: string, found: readonly number[], reference: readonly number[], max: number) => {
          const [ms, referenceMs] = [median(found), median(reference)];
          const value = `${ms.toFixed(0)} of ${referenceMs.toFixed(0)} ms`;
          return { metric, value, figure: ms / referenceMs, target: { max } };
        };
        return [
          row(
            '/auth cold, CPU ÷ 4, 1.6 Mbit/s: first paint ÷ that of a static page',
            results.auth,
            results.authTwin,
            COLD_MAX,
          ),
          row(
            '/home offline, CPU ÷ 4: first card ÷ first paint of a static page, cold at 1.6 Mbit/s',
            results.home,
            results.homeTwin,
            OFFLINE_MAX,
          ),
        ];
      }),
    );
  });
}
