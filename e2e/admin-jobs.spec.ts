import { expect, type Locator } from '@playwright/test';
import type { AdminPolls } from '#shared/admin/schema.ts';
import { colourImage, describeImage } from './testing/photos.ts';
import { DESKTOP, PHONE } from './testing/screens.ts';
import { logInAsOwner, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** The images are encoded with loss. */
const COLOUR_TOLERANCE = 12;

async function expectSlider(slider: Locator, numbers: Record<'min' | 'max' | 'step' | 'value', number>) {
  for (const [name, number] of Object.entries(numbers))
    await expect(slider).toHaveJSProperty(name, String(number));
}

test('sample polls can be generated in the settings, but not with an invalid count', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser({ viewport: PHONE });
  await logInAsOwner(page, server);
  await page.goto('/settings');
  const count = page.getByLabel('Number of polls');
  await expect(count).toHaveValue('50');
  await count.fill('0');
  await page.getByRole('button', { name: 'Generate polls' }).click();
  await expect(page.getByText('Invalid input')).toBeVisible();
  await expect(page.getByText('Poll count must be a positive number').first()).toBeVisible();
  await expect(count).toBeFocused();

  await count.fill('4');
  await page.getByLabel('User id').fill('somebody');
  await expect(page.getByText('Not a number: the polls will be yours.')).toBeVisible();
  const generateRequest = page.waitForRequest('**/api/admin/generate-polls');
  await page.getByRole('button', { name: 'Generate polls' }).click();
  const request = await generateRequest;
  expect(request.postDataJSON()).toEqual({ count: 4, id: expect.any(String) });
  expect(request.headers().prefer).toBe('respond-async');
  await expect(page.getByText('Created 4 sample polls.')).toBeVisible();
  await expect(count).toBeVisible();
});

test('a running job is shown again after a reload, and can be stopped', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  await page.getByLabel('Number of polls').fill('500');
  await page.getByRole('button', { name: 'Generate polls' }).click();
  await expect(page.getByRole('progressbar', { name: 'Sample polls' })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Stop: Sample polls' }).click();
  // The job first completes its current part.
  await expect(page.getByText('Stopped', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByLabel('Number of polls')).toBeVisible();
});

test('a bulk upload creates polls from images in the chosen order, or none if an image is unreadable', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ viewport: PHONE });
  await logInAsOwner(page, server);
  await page.goto('/admin?tab=polls');
  const main = page.getByRole('main');
  const files = main.getByLabel('Choose or drop images');
  await main.getByRole('button', { name: 'Upload images' }).click();
  await expect(main.getByText('No files selected')).toBeVisible();
  const image = async (name: string, colour: string) => ({
    name,
    mimeType: 'image/jpeg',
    buffer: await colourImage(colour),
  });
  await files.setInputFiles([
    await image('one.jpg', '#c40'),
    await image('two.jpg', '#04c'),
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') },
    await image('three.jpg', '#0c4'),
  ]);
  await expect(main.getByText('Please select image files only')).toBeVisible();
  await expect(main.getByText('3 images, 1 poll')).toBeVisible();
  await main.getByRole('button', { name: 'Upload images' }).click();
  await expect(main.getByText('Please select an even number of images for paired polls')).toBeVisible();
  await files.setInputFiles([
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('not an image') },
  ]);
  const pairs = main.getByRole('list', { name: 'Chosen images, in pairs' }).getByRole('listitem');
  await expect(pairs).toHaveText([/1 one\.jpg.*2 two\.jpg/, /3 three\.jpg.*4 broken\.png/]);

  await main.getByRole('button', { name: 'Later, 2: two.jpg' }).click();
  await expect(main.getByRole('button', { name: 'Later, 3: two.jpg' })).toBeFocused();
  await expect(pairs).toHaveText([/1 one\.jpg.*2 three\.jpg/, /3 two\.jpg.*4 broken\.png/]);
  await expectSlider(main.getByLabel('Duration'), { min: 1, max: 30, step: 1, value: 7 });
  await main.getByLabel('Duration').press('ArrowRight');
  await expectSlider(main.getByLabel('Responses wanted'), { min: 10, max: 100, step: 5, value: 20 });
  await main.getByLabel('Responses wanted').press('ArrowRight');
  await expect(main.getByText('8 days')).toBeVisible();

  monitor.expectStatus(415, /\/api\/admin\/bulk-upload$/);
  await main.getByRole('button', { name: 'Upload images' }).click();
  await expect(page.getByText('Upload failed')).toBeVisible();
  await expect(page.getByText(/^broken\.png: /)).toBeVisible();

  await main.getByRole('button', { name: 'Remove, 4: broken.png' }).click();
  await expect(main.getByRole('button', { name: 'Remove, 3: two.jpg' })).toBeFocused();
  await files.setInputFiles([await image('four.jpg', '#880')]);
  await main.getByRole('button', { name: 'Upload images' }).click();
  await expect(page.getByText('Created 2 polls.')).toBeVisible();
  await expect(pairs).toHaveCount(0);
  const { polls }: AdminPolls = await (await page.request.get('/api/admin/polls?limit=2')).json();
  expect(polls).toMatchObject([
    { question: 'This or That?', duration: 8, responsesWanted: 25 },
    { question: 'This or That?', duration: 8, responsesWanted: 25 },
  ]);
  // The list begins with the newest poll.
  const [second, first] = polls.map(({ option1Image, option2Image }) => [option1Image, option2Image]);
  for (const [path, colour] of [
    [first?.[0], [204, 68, 0]],
    [first?.[1], [0, 204, 68]],
    [second?.[0], [0, 68, 204]],
    [second?.[1], [136, 136, 0]],
  ] as const) {
    const { top } = await describeImage(await (await page.request.get(path ?? '')).body());
    for (const channel of [0, 1, 2] as const) {
      expect(Math.abs(top[channel] - colour[channel]), `${path}`).toBeLessThan(COLOUR_TOLERANCE);
    }
  }
});

test('the overview shows statistics and the audit log, and can repair missing images', async ({
  newUser,
  server,
}) => {
  const { page: maker } = await newUser();
  const { id } = await register(maker, newName('counted'));
  await postPoll(maker, 'Seen or not?');
  const { page } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  await page.request.post(`/api/admin/users/${id}/suspend`, { data: {} });
  await page.goto('/admin?tab=overview');
  const main = page.getByRole('main');
  await expect(main.getByText(/[1-9]\d* joined today/)).toBeVisible();
  await expect(main.getByRole('img', { name: /^Votes per day: \d+ in 14 days/ })).toBeVisible();
  await main.getByText('Show as a table').click();
  await expect(main.getByRole('row')).toHaveCount(15);
  await expect(main.getByRole('listitem').filter({ hasText: `user ${id}` })).toContainText(
    'owner suspended a user',
  );
  await main.getByRole('button', { name: 'Repair Missing Images' }).click();
  await expect(
    page.getByRole('status').getByText(/^Checked \d+ polls?, repaired \d+ images?\.$/),
    // The job decodes every image of the polls that earlier tests have created.
  ).toBeVisible({ timeout: 30_000 });
  await expect(
    main.getByRole('listitem').filter({ hasText: 'owner started an image repair' }).first(),
  ).toBeVisible();
  await expect(main.getByRole('listitem').filter({ hasText: 'Image repair' }).first()).toContainText('Done');
});

test('a button that starts a job is disabled until the server responds, and keeps the focus', async ({
  newUser,
  server,
}) => {
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  for (const { tab, label, path } of [
    { tab: 'polls', label: 'Generate polls', path: '/api/admin/generate-polls' },
    { tab: 'overview', label: 'Repair Missing Images', path: '/api/admin/repair-images' },
  ]) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    monitor.expectStatus(502, new RegExp(`${path}$`));
    await page.route(`**${path}`, async (route) => {
      await released;
      await route.fulfill({ status: 502, body: '' });
    });
    await page.goto(`/admin?tab=${tab}`);
    await page.getByRole('button', { name: label }).click();
    const busyButton = page.getByText('Starting…', { exact: true });
    await expect(busyButton).toHaveAttribute('aria-disabled', 'true');
    await expect(busyButton).toBeFocused();
    release();
    await expect(page.getByRole('button', { name: label })).toHaveAttribute('aria-disabled', 'false');
  }
});

test('a job that the server refuses shows the server’s message', async ({ newUser, server }) => {
  const { page, monitor } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  monitor.expectStatus(404, /\/api\/admin\/generate-polls$/);
  await page.goto('/admin?tab=polls');
  await page.getByLabel('User id').fill('99999');
  await page.getByRole('button', { name: 'Generate polls' }).click();
  await expect(page.getByText('Failed to generate polls')).toBeVisible();
  await expect(page.getByText('User not found.')).toBeVisible();
  await expect(page.getByLabel('User id')).toHaveValue('99999');

  monitor.expectStatus(502, /\/api\/admin\/repair-images$/);
  await page.route('**/api/admin/repair-images', (route) => route.fulfill({ status: 502, body: '' }));
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('button', { name: 'Repair Missing Images' }).click();
  await expect(page.getByText('Image Repair Failed')).toBeVisible();
  await expect(page.getByText('Failed to repair images')).toBeVisible();
});
