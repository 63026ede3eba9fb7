import type { Browser, Page } from '@playwright/test';
import { addVotesToOutbox, countOutboxOps } from '#scripts/browser/outbox.ts';
import { ensureBuild } from '#scripts/run/children.ts';
import { LOGGED_IN_COOKIE } from '#shared/http.ts';
import { loadTestPollId, loadTestUser } from './load/load-ids.ts';
import { type BenchOptions, measureInTurns, measureMs, type Row, THOROUGH } from './load/measurements.ts';
import { newPhone, withBrowser } from './load/phone.ts';
import { median } from './load/quantiles.ts';
import { seedEmbedded, writeImages } from './load/seed-load.ts';
import { withServer } from './owner-server.ts';

const VOTES = 200;
const TABS = [1, 5] as const;
const TARGET_S = 2;
/** Each measurement needs another user, since a user can vote only once on a poll. */
const SCALE = { users: TABS.length * (THOROUGH.rounds + 1), polls: VOTES, votesOfUser: 0 };
const POLL_IDS = Array.from({ length: VOTES }, (_, index) => loadTestPollId(index));
const CHECK_INTERVAL_MS = 25;

let nextUser = 0;

/** Writes images too, since every tab would request missing images when it comes online. */
async function prepare(dataDir: string): Promise<void> {
  await seedEmbedded(SCALE)(dataDir);
  await writeImages(dataDir, SCALE.polls);
}

/** The time from going online again until the server has acknowledged all waiting votes, in milliseconds. */
async function drain(browser: Browser, address: string, tabCount: number): Promise<number> {
  const { id, token } = loadTestUser(nextUser);
  nextUser += 1;
  // Without the service worker, which may also send ops, but at a time that the browser chooses.
  const device = await newPhone(browser, { serviceWorkers: 'block' });
  try {
    await device.addCookies([
      { name: 'sid', value: token, url: address },
      { name: LOGGED_IN_COOKIE, value: '1', url: address },
    ]);
    const tabs: Page[] = [];
    while (tabs.length < tabCount) {
      const tab = await device.newPage();
      await tab.goto(`${address}/home`);
      await tab.locator('main article').first().waitFor();
      await tab.waitForLoadState('networkidle');
      tabs.push(tab);
    }
    const [first] = tabs;
    if (first === undefined) throw new Error('No tab was opened');
    await device.setOffline(true);
    await addVotesToOutbox(first, id, POLL_IDS);
    return await measureMs(async () => {
      await device.setOffline(false);
      while ((await countOutboxOps(first, id)) > 0) await first.waitForTimeout(CHECK_INTERVAL_MS);
    });
  } finally {
    await device.close();
  }
}

/** Measures how long one tab and five tabs take to send 200 votes cast offline, to the server on the embedded database. */
export async function benchDrain({ rounds, isQuick }: BenchOptions): Promise<Row[]> {
  await ensureBuild();
  return withServer(
    '',
    ({ address }) =>
      withBrowser(async (browser) => {
        const tasks = Object.fromEntries(TABS.map((tabs) => [tabs, () => drain(browser, address, tabs)]));
        // Warms the server up.
        if (isQuick) await drain(browser, address, TABS[0]);
        else await measureInTurns(tasks, 1);
        const results = await measureInTurns<string, number>(tasks, rounds);
        return Object.entries(results).map(([tabs, durationsMs]) => {
          const seconds = median(durationsMs) / 1_000;
          return {
            metric: `${VOTES} votes cast offline, sent by ${tabs === '1' ? 'one tab' : `${tabs} tabs`}, s`,
            value: `${seconds.toFixed(2)} s`,
            comparedValue: seconds,
            target: { max: TARGET_S },
          };
        });
      }),
    { env: { RATE_LIMITS: 'on' }, prepare },
  );
}
