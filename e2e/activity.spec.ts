import { expect } from '@playwright/test';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

test('activity shows where points came from, even offline, with waiting changes on top', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('mia'));
  await postPoll(maker, 'Lake or hills?', { captions: ['Lake', 'Hills'] });
  const { page: otherPage } = await newUser();
  await register(otherPage, newName('max'));
  await postPoll(otherPage, 'Train or bus?', { captions: ['Train', 'Bus'] });

  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('nina'));
  await card(page, 'Lake or hills?').getByRole('button', { name: /Lake/ }).click();
  await expect(card(page, 'Lake or hills?')).toContainText('1 vote');
  await page.goto('/profile?tab=activity');
  const today = page.getByRole('region', { name: 'Today' });
  await expect(today.getByRole('listitem')).toHaveText([/Voted.*Lake or hills\?.*\+1/, /Signed up.*\+10/]);
  await expect(today).toContainText('Balance 11');
  await expect(page.getByRole('region', { name: 'Balance', exact: true })).toContainText('11');

  await waitForServiceWorker(page);
  await page.goto('/home');
  await expect(card(page, 'Train or bus?')).toBeVisible();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await card(page, 'Train or bus?').getByRole('button', { name: /Bus/ }).click();
  // Shown once the device has stored the vote.
  await expect(points(page)).toContainText('+1');
  await page.goto('/profile?tab=activity');
  const waiting = page.getByRole('region', { name: 'Waiting to sync' });
  await expect(waiting.getByRole('listitem')).toHaveText([/Voted.*Train or bus\?.*\+1/]);
  await expect(page.getByRole('region', { name: 'Balance', exact: true })).toContainText(
    '+1 waiting to sync',
  );
  await expect(today.getByRole('listitem')).toHaveCount(2);

  await page.context().setOffline(false);
  await expect(today.getByRole('listitem')).toHaveText([
    /Voted.*Train or bus\?/,
    /Voted.*Lake or hills\?/,
    /Signed up/,
  ]);
  await expect(waiting).toBeHidden();
});

for (const { subject, path, calls, text } of [
  { subject: 'activity is', path: '/profile?tab=activity', calls: '**/api/activity*', text: 'Signed up' },
  {
    subject: 'notifications are',
    path: '/notifications',
    calls: '**/api/notifications*',
    text: 'No Notifications Yet',
  },
]) {
  test(`${subject} fetched again if the first request is lost although the server is reachable`, async ({
    newUser,
  }) => {
    const { page, monitor } = await newUser({ serviceWorkers: 'block' });
    await register(page, newName('olga'));
    monitor.expectNetworkErrors();
    await page.route(calls, (route) => route.abort('connectionrefused'));
    await page.goto(path);
    await expect(page.getByRole('alert')).toContainText('Not on this device yet');
    await page.unroute(calls);
    // The screen pauses for five seconds before it fetches again.
    await expect(page.getByText(text)).toBeVisible({ timeout: 30_000 });
  });
}
