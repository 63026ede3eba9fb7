import { expect, type Page } from '@playwright/test';
import { type LossyProxy, startLossyProxy } from './testing/lossy-proxy.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test as base } from './testing/test.ts';
import { card, expectImages, fillPoll, newName, points } from './testing/user-actions.ts';

/** Longer than a page would take for an unwanted reload. */
const RELOAD_WITHIN_MS = 1_500;

const test = base.extend<{ lossyProxy: LossyProxy }>({
  lossyProxy: async ({ server }, use) => {
    const proxy = await startLossyProxy(server);
    await use(proxy);
    await proxy.close();
  },
});

/** Whether a page runs the next build. Rejects while the page is reloaded. */
function runsNextBuild(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const script = document.querySelector<HTMLScriptElement>('script[type=module]');
    return script?.src.endsWith('-next.js') === true;
  });
}

/** Checks for a new version of the service worker, as the browser does at each start. */
async function checkForUpdate(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.ready).update();
  });
}

test('a new version is installed on request once votes in flight have arrived, and only in one tab', {
  tag: '@core',
}, async ({ newUser, lossyProxy }) => {
  const [first, second, third] = [newName('First'), newName('Second'), newName('Third')];
  const { page: maker } = await newUser();
  await register(maker, newName('rita'));
  const { id } = await postPoll(maker, first);
  await register(maker, newName('ruth'));
  const { id: secondId } = await postPoll(maker, second);
  const { page, monitor } = await newUser({ baseURL: lossyProxy.address });
  monitor.expectNetworkErrors();
  await registerAndOpenHome(page, newName('sam'));
  await waitForServiceWorker(page);
  await expectImages(card(page, first));
  const otherTab = await page.context().newPage();
  await otherTab.goto('/home');
  await expectImages(card(otherTab, first));
  const updateOffer = (tab: Page) => tab.getByText('A new version is ready');

  await test.step('the new version is offered in every tab and not installed automatically', async () => {
    lossyProxy.deploy();
    // The HTTP cache could still have chunks of the old build.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.clearBrowserCache');
    await checkForUpdate(page);
    await expect(updateOffer(page)).toBeVisible();
    await expect(updateOffer(otherTab)).toBeVisible();
    await page.waitForTimeout(RELOAD_WITHIN_MS);
    expect([await runsNextBuild(page), await runsNextBuild(otherTab)]).toEqual([false, false]);
  });

  await test.step('Update waits for the responses, then loads the new version', async () => {
    const release = lossyProxy.holdResponsesTo(`/api/questions/${id}/vote`);
    for (const question of [first, second])
      await card(page, question).getByRole('button', { name: 'That' }).click();
    await expect.poll(() => lossyProxy.keysOf(`/api/questions/${id}/vote`).length).toBe(1);
    await page.getByRole('button', { name: 'Update' }).click();
    await expect(page.getByText('Installing the new version')).toBeVisible();
    await page.waitForTimeout(RELOAD_WITHIN_MS);
    await expect(page.getByRole('button', { name: 'Update' })).toBeFocused();
    expect(await runsNextBuild(page)).toBe(false);
    release();
    await expect.poll(() => runsNextBuild(page).catch(() => false)).toBe(true);
    await expect(points(page)).toHaveText('12');
    expect(lossyProxy.keysOf(`/api/questions/${id}/vote`)).toHaveLength(1);
    expect(lossyProxy.keysOf(`/api/questions/${secondId}/vote`)).toHaveLength(1);
    await expect(updateOffer(page)).toBeHidden();
  });

  await test.step('the other tab keeps running the old version until its user reloads it', async () => {
    expect(await runsNextBuild(otherTab)).toBe(false);
    // The chunks of the dialog and of the image worker have not been loaded before.
    const dialog = await fillPoll(otherTab, third);
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(otherTab.getByText('Poll created!')).toBeVisible();
    await otherTab.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => runsNextBuild(otherTab).catch(() => false)).toBe(true);
    await expect(card(otherTab, third)).toBeVisible();
  });
});

test('a new version that was not installed is used at the next start when no tab is open', async ({
  newUser,
  lossyProxy,
}) => {
  const { page, monitor } = await newUser({ baseURL: lossyProxy.address });
  monitor.expectNetworkErrors();
  await registerAndOpenHome(page, newName('tara'));
  await waitForServiceWorker(page);
  const otherTab = await page.context().newPage();
  await otherTab.goto('/home');
  lossyProxy.deploy();
  await checkForUpdate(page);
  await expect(page.getByText('A new version is ready')).toBeVisible();

  await page.close();
  await otherTab.reload();
  expect(await runsNextBuild(otherTab)).toBe(false);

  const context = otherTab.context();
  await otherTab.close();
  const nextStart = await context.newPage();
  await nextStart.goto('/home');
  expect(await runsNextBuild(nextStart)).toBe(true);
  await expect(nextStart.getByText('A new version is ready')).toBeHidden();
});

test('a missing chunk of an old build makes the page reload with the new build', async ({
  newUser,
  lossyProxy,
}) => {
  const { page, monitor } = await newUser({ baseURL: lossyProxy.address, serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  monitor.expectStatus(404, /\/assets\//);
  monitor.expectUncaughtError(/dynamically imported module/);
  await registerAndOpenHome(page, newName('tess'));
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  // The menu is loaded later than the polls. Without it, the page would be reloaded before Settings can be opened.
  await page.waitForLoadState('networkidle');
  lossyProxy.deploy();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible();
  expect(await runsNextBuild(page)).toBe(true);
  await expect(page).toHaveURL(/\/settings$/);
});
