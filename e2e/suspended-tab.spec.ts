import { type Browser, expect, type Page } from '@playwright/test';
import { readQueue } from './testing/device-db.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, expectImages, newName } from './testing/user-actions.ts';

type BrowserProcess = { type: string; id: number; cpuTime: number };

/** The id of the page's renderer process, found by its CPU time during a busy loop in the page. */
async function rendererPidOf(browser: Browser, page: Page): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const read = async (): Promise<BrowserProcess[]> =>
    (await session.send('SystemInfo.getProcessInfo')).processInfo;
  const cpuTimesBefore = new Map((await read()).map(({ id, cpuTime }) => [id, cpuTime]));
  await page.evaluate(() => {
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1_500);
  });
  const renderers = (await read()).filter(({ type }) => type === 'renderer');
  const usage = renderers.map(({ id, cpuTime }) => ({
    id,
    seconds: cpuTime - (cpuTimesBefore.get(id) ?? 0),
  }));
  const [busiest] = usage.toSorted((one, other) => other.seconds - one.seconds);
  if (busiest === undefined) throw new Error('The browser reports no renderer process.');
  return busiest.id;
}

test('a tab that is suspended while it sends a vote does not block other tabs', async ({
  browser,
  newUser,
}) => {
  const questions = ['Freeze or thaw?', 'Pause or play?'] as const;
  for (const question of questions) {
    const { page: maker } = await newUser();
    await register(maker, newName('mia'));
    await postPoll(maker, question);
  }
  const { page: sendingPage } = await newUser();
  const { id } = await registerAndOpenHome(sendingPage, newName('sam'));
  const context = sendingPage.context();
  const visiblePage = await context.newPage();
  // The clock of the visible tab can be advanced, so that the lease of the suspended tab expires at once.
  await visiblePage.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + (Reflect.get(window, 'advancedMs') ?? 0);
  });
  await visiblePage.goto('/home');
  for (const page of [sendingPage, visiblePage]) await expectImages(card(page, questions[1]));
  expect(await rendererPidOf(browser, visiblePage)).not.toBe(await rendererPidOf(browser, sendingPage));

  // Otherwise the first drain of the newly opened tab might send the vote.
  await visiblePage.waitForLoadState('networkidle');
  const drains = () =>
    visiblePage.evaluate(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.filter(({ name = '' }) => name.startsWith('drain:')).length;
    });
  await expect.poll(drains).toBe(0);

  // The sending tab is suspended while the call for its vote is in flight, which gets no response.
  const requested = sendingPage.waitForRequest(/\/vote$/);
  await context.route(/\/vote$/, () => {}, { times: 1 });
  await card(sendingPage, questions[0]).getByRole('button', { name: 'This' }).click();
  await requested;
  const rendererPid = await rendererPidOf(browser, sendingPage);
  process.kill(rendererPid, 'SIGSTOP');
  try {
    await card(visiblePage, questions[1]).getByRole('button', { name: 'This' }).click();
    await expect.poll(async () => (await readQueue(visiblePage, id)).ops).toHaveLength(2);
    await visiblePage.evaluate(() => Reflect.set(window, 'advancedMs', 35_000));
    await expect.poll(async () => (await readQueue(visiblePage, id)).ops, { timeout: 20_000 }).toEqual([]);
  } finally {
    process.kill(rendererPid, 'SIGCONT');
  }
  await expect.poll(async () => (await readQueue(sendingPage, id)).ops).toEqual([]);
});
