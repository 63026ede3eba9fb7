import { expect } from '@playwright/test';
import { SMALLEST } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

test('the bell counts unread notifications, which become read when the user leaves the list', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('mara');
  const { page } = await newUser({ serviceWorkers: 'block' });
  await register(page, name);
  await postPoll(page, 'Sofa or chair?', { captions: ['Sofa', 'Chair'] });
  await page.goto('/notifications');
  await expect(page.getByRole('heading', { name: 'No Notifications Yet' })).toBeVisible();
  await expect(page.getByText('Ask something: the first vote, halfway and the result')).toBeVisible();
  await expect(page.getByText('A poll costs at least 10 points. Vote to earn them.')).toBeVisible();
  await page.goto('/home');
  const bell = page.getByRole('banner').getByRole('link', { name: /^Notifications/ });
  await expect(bell).toHaveAccessibleName('Notifications');

  const { page: voter } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(voter, newName('otto'));
  await card(voter, 'Sofa or chair?').getByRole('button', { name: /Sofa/ }).click();
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread');
  await bell.click();
  const today = page.getByRole('region', { name: 'Today' });
  await expect(today.getByRole('listitem')).toHaveText([/Your first vote is in \(new\).*Sofa or chair\?/]);
  await expect(page.getByText('1 new')).toBeVisible();
  await today.getByRole('link', { name: /Sofa or chair/ }).click();
  // The URL changes before the old screen is unmounted.
  await expect(page.getByRole('heading', { name: 'Sofa or chair?' })).toBeVisible();
  await expect(today).toHaveCount(0);
  await page.goBack();
  await expect(today.getByRole('listitem')).toHaveText([/Your first vote is in.*Sofa or chair\?/]);
  await expect(page.getByText('(new)')).toHaveCount(0);
  await expect(page.getByText('1 new')).toBeHidden();
  await expect(page.getByText('No more notifications. They are kept for 90 days.')).toBeVisible();
});

test('on the smallest phone the header of Notifications has one row', async ({ newUser }) => {
  const { page } = await newUser({ viewport: SMALLEST, serviceWorkers: 'block' });
  await register(page, newName('nora'));
  await page.goto('/notifications');
  await expect(points(page)).toHaveText('10');
  // The fallback font has other widths.
  await page.evaluate(async () => void (await document.fonts.ready));
  const tops = ['Back', 'Menu'].map(async (name) => {
    const box = await page.getByRole('banner').getByRole('button', { name }).boundingBox();
    return box?.y;
  });
  const [back, menu] = await Promise.all(tops);
  expect(menu).toBe(back);
});

test('notifications are shown offline, and those marked as read offline are still read after reconnecting', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await register(page, newName('ruth'));
  await postPoll(page, 'Tea or coffee?', { captions: ['Tea', 'Coffee'] });
  const { page: voter } = await newUser({ serviceWorkers: 'block' });
  await registerAndOpenHome(voter, newName('sven'));
  await card(voter, 'Tea or coffee?').getByRole('button', { name: /Tea/ }).click();
  await expect(card(voter, 'Tea or coffee?')).toContainText('1 vote');
  await page.goto('/home');
  const bell = page.getByRole('banner').getByRole('link', { name: /^Notifications/ });
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread');
  await waitForServiceWorker(page);
  await page.reload();
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread');
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await bell.click();
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await expect(page.getByText('1 new')).toBeHidden();
  // The button is gone; the focus stays in the list.
  await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Today' })).toContainText('Your first vote is in');
  const readResponse = page.waitForResponse((response) => response.url().endsWith('/api/notifications/read'));
  await page.context().setOffline(false);
  expect((await readResponse).status()).toBe(204);
  expect(await (await page.request.get('/api/notifications')).json()).toMatchObject({ unread: 0 });
  await page.reload();
  await expect(page.getByRole('region', { name: 'Today' })).toBeVisible();
  await page.getByRole('link', { name: 'Polls' }).click();
  await expect(bell).toHaveAccessibleName('Notifications');
});
