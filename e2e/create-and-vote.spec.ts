import { expect, type Page } from '@playwright/test';
import { describeImage, PHONE_PHOTO_PX } from './testing/photos.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { COLOURS, card, createPoll, expectImages, newName, points, signUp } from './testing/user-actions.ts';

/** The photo is encoded twice with loss, and its colours are averaged. */
const COLOUR_TOLERANCE = 12;

/** Presses Refresh until the card contains `text`: the server may respond with a feed that it has cached for a second. */
async function refreshUntil(page: Page, question: string, text: string): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(card(page, question)).toContainText(text, { timeout: 1500 });
  }).toPass();
}

test('a user creates a poll with two photos, another user votes, and both see the result', {
  tag: '@core',
}, async ({ ownServer, newUser }) => {
  // The server has no other polls, so this poll is among the trending polls.
  const onOwnServer = { baseURL: ownServer.address };
  const question = 'Sunrise or seaside?';
  const { page: anna } = await newUser(onOwnServer);
  const { page: ben } = await newUser(onOwnServer);

  await test.step('Anna signs up and has 10 points', async () => {
    await signUp(anna, newName('anna'));
    await expect(points(anna)).toHaveText('10');
  });

  await test.step('she posts a poll, which costs 10 points', async () => {
    await createPoll(anna, { question, captions: ['Sunrise', 'Seaside'], photoPx: PHONE_PHOTO_PX });
    await expect(card(anna, question)).toContainText('Your poll');
    await expect(points(anna)).toHaveText('0');
    await expect(anna.getByRole('button', { name: 'Create Poll' })).toBeDisabled();
  });

  await test.step('Ben signs up, sees the poll, and votes for one point', async () => {
    await signUp(ben, newName('ben'));
    await expectImages(card(ben, question));
    await expect(card(ben, question)).not.toContainText('%');
    await card(ben, question).getByRole('button', { name: 'Seaside' }).click();
    await expect(points(ben)).toHaveText('11');
  });

  await test.step('both see that everybody chose the seaside', async () => {
    await refreshUntil(anna, question, '100%');
    for (const page of [anna, ben]) {
      await expect(card(page, question)).toContainText(/(^|\D)0%/);
      await expect(card(page, question)).toContainText('100%');
    }
  });

  await test.step('Cleo votes by tapping an image of the trending poll', async () => {
    const { page: cleo } = await newUser(onOwnServer);
    await signUp(cleo, newName('cleo'));
    // The only trending poll is as wide as the screen.
    await expect(card(cleo, question).locator('img').first()).toHaveAttribute('sizes', '50vw');
    await card(cleo, question).getByRole('button', { name: 'Vote for Sunrise' }).click();
    await expect(card(cleo, question)).toContainText('50%');
    await expect(points(cleo)).toHaveText('11');
  });

  await test.step('a reload changes nothing for Ben, who cannot vote again', async () => {
    await ben.reload();
    await refreshUntil(ben, question, '50%');
    await expect(card(ben, question).getByRole('button', { name: 'Sunrise' })).toHaveCount(0);
    await expect(points(ben)).toHaveText('11');
  });
});

test('stored photos are upright WebP images without metadata', async ({ newUser }) => {
  const question = 'Which way is up?';
  const { page } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(page, newName('carl'));
  await createPoll(page, { question, captions: ['This', 'That'], photoPx: PHONE_PHOTO_PX });
  await expect(card(page, question)).toContainText('Your poll');

  const sources = await card(page, question)
    .locator('img[src*="/uploads/"]')
    .evaluateAll((all) =>
      all.map((image) => new URL(image.getAttribute('src') ?? '', location.href).pathname),
    );
  expect(sources).toHaveLength(2);
  for (const [index, { top, bottom }] of [COLOURS.a, COLOURS.b].entries()) {
    for (const [query, longSide] of [
      ['', 1080],
      ['?w=480', 480],
    ] as const) {
      const response = await page.request.get(`${sources[index]}${query}`);
      const image = await describeImage(await response.body());
      expect(image).toMatchObject({ format: 'webp', height: longSide, hasMetadata: false });
      expect(image.width / image.height).toBeCloseTo(3 / 4, 2);
      for (const channel of [0, 1, 2] as const) {
        expect(Math.abs(image.top[channel] - top[channel])).toBeLessThan(COLOUR_TOLERANCE);
        expect(Math.abs(image.bottom[channel] - bottom[channel])).toBeLessThan(COLOUR_TOLERANCE);
      }
    }
  }
});

test('offline, the app opens with its feed, and a vote is sent later', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  test.setTimeout(120_000);
  const question = 'Train or plane?';
  const { page: dora } = await newUser();
  const { page: emil, monitor } = await newUser();
  await register(dora, newName('dora'));
  await postPoll(dora, question, { captions: ['Train', 'Plane'] });
  await registerAndOpenHome(emil, newName('emil'));
  await expectImages(card(emil, question));
  await waitForServiceWorker(emil);

  monitor.expectNetworkErrors();
  await emil.context().setOffline(true);
  await dora.close();
  await server.stop();
  await emil.close();
  const reopened = await emil.context().newPage();

  await test.step('the feed and its images are loaded from the device', async () => {
    await reopened.goto('/home');
    await expectImages(card(reopened, question));
    await expect(points(reopened)).toHaveText('10');
  });

  await test.step('a vote is shown as waiting', async () => {
    await card(reopened, question).getByRole('button', { name: 'Train' }).click();
    await expect(card(reopened, question)).toContainText('Waiting to sync');
    await expect(points(reopened)).toHaveText('10+1');
  });

  await test.step('the vote survives a reload', async () => {
    await reopened.reload();
    await expect(card(reopened, question)).toContainText('Waiting to sync');
  });

  await test.step('the vote is sent once the device is online again', async () => {
    await server.start();
    await reopened.context().setOffline(false);
    await expect(points(reopened)).toHaveText('11', { timeout: 40_000 });
    await expect(card(reopened, question)).toContainText('100%');
  });
});
