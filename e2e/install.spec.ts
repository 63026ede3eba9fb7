import { expect } from '@playwright/test';
import sharp from 'sharp';
import { newName } from './testing/people.ts';
import { joinIn, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

type Icon = { src: string; sizes: string; type: string; purpose: string };
type Manifest = {
  id: string;
  name: string;
  start_url: string;
  scope: string;
  display: string;
  icons: Icon[];
};

test('the app can be installed: its manifest, its icons, its service worker', async ({
  newPerson,
  server,
}) => {
  const { page } = await newPerson();
  await page.goto('/auth');
  const manifestPath = await page.locator('link[rel=manifest]').getAttribute('href');
  const answer = await page.request.get(manifestPath ?? '');
  expect(answer.headers()['content-type']).toContain('application/manifest+json');
  const manifest = (await answer.json()) as Manifest;
  expect(manifest).toMatchObject({
    id: '/',
    name: 'This or That?',
    start_url: '/home',
    scope: '/',
    display: 'standalone',
  });

  await test.step('every icon is what the manifest says', async () => {
    const kinds = manifest.icons.map(({ purpose, sizes }) => `${purpose} ${sizes}`);
    expect(kinds).toEqual(
      expect.arrayContaining(['any 192x192', 'any 512x512', 'maskable 512x512', 'monochrome 512x512']),
    );
    for (const icon of manifest.icons) {
      const file = await page.request.get(icon.src);
      expect(file.headers()['content-type']).toBe(icon.type);
      const { width, height } = await sharp(await file.body()).metadata();
      expect(`${width}x${height}`).toBe(icon.sizes);
    }
  });

  await test.step('the browser itself finds nothing against installing', async () => {
    const devTools = await page.context().newCDPSession(page);
    const { errors } = await devTools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
    // A context of a test is like a private window, from which nothing is installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });

  await test.step('the service worker has the page', async () => {
    await joinIn(page, newName('olga'));
    await untilKept(page);
    await page.reload();
    const script = await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    expect(script).toBe(`${server.address}/sw.js`);
  });
});

test('placeholders stand ready for missing images', async ({ newPerson }) => {
  const { page } = await newPerson();
  await page.goto('/auth');
  for (const path of ['/placeholder-1.svg', '/placeholder-2.svg']) {
    const answer = await page.request.get(path);
    expect(answer.headers()['content-type']).toContain('image/svg+xml');
    expect((await sharp(await answer.body()).metadata()).width).toBe(480);
  }
});
