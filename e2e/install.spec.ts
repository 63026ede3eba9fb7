import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { SHARE_TARGET } from '#shared/service/constants.ts';
import { registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

type Icon = { src: string; sizes: string; type: string; purpose: string };
type Manifest = {
  id: string;
  name: string;
  start_url: string;
  scope: string;
  display: string;
  icons: Icon[];
  categories: string[];
  shortcuts: { name: string; url: string; icons: Icon[] }[];
  screenshots: (Icon & { form_factor: 'narrow' | 'wide'; label: string })[];
  share_target: unknown;
};

/** The maximum of all screenshots together, which a browser loads for its install dialog. */
const SCREENSHOTS_MAX_BYTES = 400_000;

/** Expects an image as the manifest describes it; returns its size in bytes. */
async function expectImage(page: Page, { src, type, sizes }: Icon): Promise<number> {
  const file = await page.request.get(src);
  expect(file.headers()['content-type']).toBe(type);
  const bytes = await file.body();
  const { width, height } = await sharp(bytes).metadata();
  expect(`${width}x${height}`).toBe(sizes);
  return bytes.length;
}

test('the app can be installed: manifest, icons and service worker are complete', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser();
  await page.goto('/auth');
  const manifestPath = await page.locator('link[rel=manifest]').getAttribute('href');
  const response = await page.request.get(manifestPath ?? '');
  expect(response.headers()['content-type']).toContain('application/manifest+json');
  const manifest = (await response.json()) as Manifest;
  expect(manifest).toMatchObject({
    id: '/',
    name: 'This or That?',
    start_url: '/home',
    scope: '/',
    display: 'standalone',
    categories: ['social', 'entertainment'],
  });

  await test.step('every icon has the type and size that the manifest says', async () => {
    const kinds = manifest.icons.map(({ purpose, sizes }) => `${purpose} ${sizes}`);
    expect(kinds).toEqual(
      expect.arrayContaining(['any 192x192', 'any 512x512', 'maskable 512x512', 'monochrome 512x512']),
    );
    for (const icon of manifest.icons) await expectImage(page, icon);
  });

  await test.step('shortcuts lead to a new poll and to Explore, each with an icon', async () => {
    const urls = Object.fromEntries(manifest.shortcuts.map(({ name, url }) => [name, url]));
    expect(urls).toMatchObject({ 'Create Poll': '/home?create=1', Explore: '/explore' });
    for (const { icons } of manifest.shortcuts) for (const icon of icons) await expectImage(page, icon);
  });

  await test.step('screenshots for phone and desktop have the type and size that the manifest says, and are small', async () => {
    const kinds = new Set(manifest.screenshots.map(({ form_factor }) => form_factor));
    expect([...kinds].sort()).toEqual(['narrow', 'wide']);
    let bytes = 0;
    for (const screenshot of manifest.screenshots) bytes += await expectImage(page, screenshot);
    expect(bytes).toBeLessThan(SCREENSHOTS_MAX_BYTES);
  });

  await test.step('images can be shared with the app', async () => {
    expect(manifest.share_target).toEqual({
      action: SHARE_TARGET.path,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: SHARE_TARGET.field, accept: ['image/*'] }] },
    });
  });

  await test.step('the browser reports no obstacle to the installation', async () => {
    const devTools = await page.context().newCDPSession(page);
    const { errors } = await devTools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
    // A test's browser context is like an incognito window, in which no app can be installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });

  await test.step('the service worker controls the page', async () => {
    await registerAndOpenHome(page, newName('olga'));
    await waitForServiceWorker(page);
    await page.reload();
    const script = await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    expect(script).toBe(`${server.address}/sw.js`);
    // Only the install dialog shows the screenshots, so they are not precached.
    const worker = await (await page.request.get('/sw.js')).text();
    expect(worker).not.toContain('screenshots/');
  });

  await test.step('the service worker opens the app only at the addresses of its pages', async () => {
    monitor.expectStatus(404, /\/(uploads|metrics)/);
    for (const path of ['/api/health', '/uploads/none.webp', '/metrics']) {
      await page.goto(path);
      await expect(page.locator('#root'), path).toHaveCount(0);
    }
    const response = await page.goto('/explore');
    expect(response?.fromServiceWorker()).toBe(true);
    await expect(page.locator('#root')).toHaveCount(1);
  });
});

test('placeholders for missing images are served', { tag: '@core' }, async ({ server }) => {
  for (const path of ['/placeholder-1.svg', '/placeholder-2.svg']) {
    const response = await fetch(`${server.address}${path}`);
    expect(response.headers.get('content-type')).toContain('image/svg+xml');
    expect((await sharp(await response.arrayBuffer()).metadata()).width).toBe(480);
  }
});
