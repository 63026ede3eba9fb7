import { expect } from '@playwright/test';
import { SMALLEST } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, createPoll, newName, points } from './testing/user-actions.ts';

test('the points page shows confirmed, waiting and spendable points', { tag: '@core' }, async ({
  newUser,
}) => {
  const question = 'Earn or spend?';
  const { page: maker } = await newUser();
  await register(maker, newName('wim'));
  await postPoll(maker, question, { captions: ['Now', 'Later'] });

  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('xenia'));
  await expect(card(page, question)).toBeVisible();
  monitor.expectNetworkErrors();
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'Later', exact: true }).click();
  await test.step('with waiting points, header and tabs need no second row on a phone', async () => {
    await expect(points(page)).toHaveText('10+1');
    for (const width of [320, 360, 375]) {
      await page.setViewportSize({ width, height: 812 });
      for (const row of [page.getByRole('banner'), page.getByRole('tablist')]) {
        expect((await row.boundingBox())?.height, `at ${width} px`).toBeLessThan(60);
      }
    }
  });
  await page.getByRole('link', { name: 'Points' }).click();
  const balance = page.getByRole('region', { name: 'Balance' });
  await expect(balance).toContainText('10+1 waiting to sync · 10 to spend');

  await page.context().setOffline(false);
  await expect(balance).toContainText(/^Your points11Create a Poll$/, { timeout: 40_000 });
  await balance.getByRole('link', { name: 'Create a Poll' }).click();
  await expect(page).toHaveURL('/home');
  await expect(page.getByRole('dialog').getByLabel('Question')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).toHaveURL('/home');
  await page.goBack();
  await expect(balance).toBeVisible();
});

test('with points waiting to be earned and spent, the header of Notifications needs no second row', async ({
  newUser,
}) => {
  const question = 'Both or neither?';
  const { page: maker } = await newUser();
  await register(maker, newName('wanda'));
  await postPoll(maker, question, { captions: ['Both', 'Neither'] });
  // Scroll bars of desktop browsers would take a part of the width.
  const { page, monitor } = await newUser({ isMobile: true });
  await registerAndOpenHome(page, newName('xaver'));
  await expect(card(page, question)).toBeVisible();
  monitor.expectNetworkErrors();
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await card(page, question).getByRole('button', { name: 'Both', exact: true }).click();
  await createPoll(page, {
    question: 'Spend or save?',
    captions: ['Spend', 'Save'],
    message: 'Saved on this device',
  });
  await expect(points(page)).toHaveText('10+1−10');
  await page.getByRole('banner').getByRole('link', { name: 'Notifications' }).click();
  const header = page.getByRole('banner');
  await expect(header.getByRole('heading', { name: 'Notifications' })).toBeVisible();
  const expectOneRow = async () => {
    for (const width of [375, 360]) {
      await page.setViewportSize({ width, height: 812 });
      expect.soft((await header.boundingBox())?.height, `at ${width} px`).toBeLessThan(60);
    }
  };
  await expectOneRow();
  await test.step('the header needs no second row next to the connection chip either', async () => {
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect(header.getByRole('link', { name: '2 waiting' })).toBeVisible();
    await expectOneRow();
  });
});

test('on the smallest phone five-digit points need no second row in the header', async ({ newUser }) => {
  const { page } = await newUser({ viewport: SMALLEST, serviceWorkers: 'block' });
  await register(page, newName('xenia'));
  await page.route('**/api/user', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), points: 12_345 } });
  });
  const header = page.getByRole('banner');
  for (const [path, title] of [
    ['/notifications', 'Notifications'],
    ['/diagnostic', 'Diagnostic'],
  ] as const) {
    await page.goto(path);
    await expect(header.getByRole('heading', { name: title })).toBeVisible();
    await expect(points(page)).toHaveText('12345');
    // The fallback font has other widths.
    await page.evaluate(async () => void (await document.fonts.ready));
    expect.soft((await header.boundingBox())?.height, title).toBeLessThan(60);
  }
});

test('with too few points, Create a Poll on the points page is disabled and shows the reason', async ({
  newUser,
}) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('zoe'));
  await postPoll(page, 'Spent or saved?');
  await page.goto('/points');
  const balance = page.getByRole('region', { name: 'Balance' });
  await expect(balance.getByRole('button', { name: 'Create a Poll' })).toBeDisabled();
  await expect(balance).toContainText('A poll costs at least 10 points. Vote to earn them.');
  await expect(balance.getByRole('link')).toHaveCount(0);
});

test('the points page lists every way to earn and to spend points', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, newName('yara'));
  await page.goto('/points');
  await expect(page.getByRole('main').getByRole('listitem')).toContainText([
    /\+1Vote on a poll/,
    /\+1Log in.*5 times a day/,
    /\+10Bring a friend.*5 when they join, 5 when they verify/,
    /\+10Sign up/,
    /Share polls for points.*Coming soon/,
    /−10Create a poll.*10 responses; 1 point for each extra response/,
    /Premium features.*Coming soon/,
    // The tips.
    /10 votes pay for a poll/,
    /.+/,
    /.+/,
  ]);
});
