import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { colourImage } from './testing/photos.ts';
import { PHONE } from './testing/screens.ts';
import { logInAsOwner } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** The number of all polls. */
async function countPolls(page: Page): Promise<number> {
  return (await (await page.request.get('/api/admin/polls?limit=1')).json()).pagination.total;
}

/** Chooses two images with the same content for a bulk upload. */
async function chooseTwoImages(page: Page, buffer: Buffer): Promise<void> {
  const files = ['left.jpg', 'right.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer }));
  await page.getByLabel('Choose or drop images').setInputFiles(files);
}

test('a cancelled upload creates no poll and keeps the chosen images', async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  const main = page.getByRole('main');
  const submit = main.getByRole('button', { name: 'Upload images' });
  // Noise, since an image of one colour would be too small to be uploaded slowly.
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const image = sharp({ create: { width: 500, height: 500, channels: 3, background: '#888', noise } }).jpeg();
  const buffer = await image.toBuffer();
  await chooseTwoImages(page, buffer);

  monitor.expectStatus(502, /\/api\/admin\/bulk-upload$/);
  await page.route('**/api/admin/bulk-upload', (route) => route.fulfill({ status: 502, body: '' }), {
    times: 1,
  });
  await submit.click();
  await expect(page.getByText('Failed to upload images')).toBeVisible();

  const before = await countPolls(page);
  const devTools = await page.context().newCDPSession(page);
  // So slow that the upload takes four seconds.
  const network = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: buffer.length / 2 };
  await devTools.send('Network.emulateNetworkConditions', network);
  await submit.click();
  const progress = main.getByRole('progressbar', { name: 'Uploading' });
  await expect.poll(async () => Number(await progress.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
  await expect(submit).toHaveCount(0);
  // The browser would ask for confirmation before it leaves the page.
  expect(
    await page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))),
  ).toBe(false);
  const aborted = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/bulk-upload'));
  await main.getByRole('button', { name: 'Cancel' }).click();
  await aborted;
  await expect(progress).toHaveCount(0);
  await expect(main.getByText('2 images, 1 poll')).toBeVisible();
  await expect(main.getByRole('region', { name: 'Bulk image upload' }).locator(':focus')).toHaveCount(1);
  await devTools.send('Network.emulateNetworkConditions', { ...network, uploadThroughput: -1 });
  expect(await countPolls(page)).toBe(before);

  await submit.click();
  await expect(page.getByText('Created 1 poll.')).toBeVisible();
  expect(await countPolls(page)).toBe(before + 1);
});

test('an upload repeated after lost responses is one job, and its outcome is shown', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  const main = page.getByRole('main');
  const before = await countPolls(page);
  const buffer = await colourImage('#c40');
  await chooseTwoImages(page, buffer);

  monitor.expectNetworkErrors();
  // Hides the job of the first upload from the page, which would otherwise follow that job and not send the upload again.
  await page.route('**/api/admin/jobs', (route) => route.fulfill({ json: [] }));
  const jobIds: string[] = [];
  await page.route('**/api/admin/bulk-upload', async (route) => {
    const response = await route.fetch();
    jobIds.push((await response.json()).jobId);
    await route.abort('connectionreset');
  });
  for (const attempt of [1, 2]) {
    await main.getByRole('button', { name: 'Upload images' }).click();
    await expect(page.getByText('Upload failed')).toBeVisible();
    await expect.poll(() => jobIds.length).toBe(attempt);
    await expect(main.getByText('2 images, 1 poll')).toBeVisible();
  }
  expect(new Set(jobIds).size).toBe(1);
  await page.unroute('**/api/admin/jobs');
  await expect(page.getByText('Created 1 poll.')).toBeVisible();
  await expect(main.getByText('2 images, 1 poll')).toHaveCount(0);
  expect(await countPolls(page)).toBe(before + 1);
});

test('an upload whose job the server no longer lists shows the form again, with the chosen images', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  const main = page.getByRole('main');
  const buffer = await colourImage('#04c');
  await chooseTwoImages(page, buffer);
  await page.route('**/api/admin/jobs', (route) => route.fulfill({ json: [] }));
  const started = page.waitForResponse('**/api/admin/bulk-upload');
  await main.getByRole('button', { name: 'Upload images' }).click();
  await started;
  await page.waitForResponse('**/api/admin/jobs');
  await expect(main.getByRole('button', { name: 'Upload images' })).toBeVisible();
  await expect(main.getByText('2 images, 1 poll')).toBeVisible();
});

test('the settings of an upload survive a visit to another section of the dashboard, but not to another screen', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  const sliders = ['Duration', 'Responses wanted'].map((name) =>
    page.getByRole('main').getByRole('slider', { name }),
  );
  const values = () => Promise.all(sliders.map((slider) => slider.inputValue()));
  const defaults = await values();
  for (const slider of sliders) await slider.press('ArrowRight');
  const chosen = await values();
  expect(chosen).toEqual(['8', '25']);
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Bulk image upload' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Polls' }).click();
  expect(await values()).toEqual(chosen);

  await page.locator('#bottom-nav').getByRole('link', { name: 'Points' }).click();
  await expect(page.getByRole('heading', { name: 'Bulk image upload' })).toHaveCount(0);
  await page.goBack();
  expect(await values()).toEqual(defaults);
});
