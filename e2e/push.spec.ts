import { expect, type Page, type Response } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { createPushDelivery, recordNotifications } from './testing/push-service.ts';
import { waitTwoFrames } from './testing/screens.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, PASSWORD } from './testing/user-actions.ts';

const pushSwitch = (page: Page) => page.getByRole('switch', { name: 'Push' });
const isPushRead = (response: Response) =>
  response.request().method() === 'GET' && new URL(response.url()).pathname === '/api/push';

async function switchOnPush(page: Page): Promise<void> {
  await page.goto('/settings');
  await expect(pushSwitch(page)).toBeEnabled();
  await pushSwitch(page).click();
  await expect(pushSwitch(page)).toBeChecked();
  await expect(pushSwitch(page)).toBeEnabled();
}

/** Sets the permission for notifications like a user who changes it in the browser's settings and returns to the page. */
async function setPermission(page: Page, permission: 'denied' | 'granted'): Promise<void> {
  await page.evaluate((value) => {
    localStorage.setItem('fake permission', value);
    window.dispatchEvent(new Event('focus'));
  }, permission);
}

test('the push switch asks for permission, and a tap on a push message opens its poll', {
  tag: '@core',
}, async ({ newUser, pushService, server }) => {
  const { page } = await newUser();
  const { received } = await pushService.connect(page);
  const user = await registerAndOpenHome(page, newName('mara'));
  await waitForServiceWorker(page);
  await page.goto('/settings');
  await expect(pushSwitch(page)).toBeEnabled();
  await expect(pushSwitch(page)).not.toBeChecked();
  await expect(page.getByText('On this device, at most five a day')).toBeVisible();
  const permission = () => page.evaluate(() => Notification.permission);
  expect(await permission()).toBe('default');
  await pushSwitch(page).click();
  await expect(pushSwitch(page)).toBeChecked();
  // The switch is disabled until the change has been stored.
  await expect(pushSwitch(page)).toBeEnabled();
  expect(await permission()).toBe('granted');
  await page.reload();
  await expect(pushSwitch(page)).toBeChecked();

  const poll = await postPoll(page, 'Bench or stool?', { captions: ['Bench', 'Stool'] });
  const { page: voter } = await newUser({ serviceWorkers: 'block' });
  await register(voter, newName('otto'));
  const vote = await voter.request.post(`/api/questions/${poll.id}/vote`, { data: { option: 1 } });
  expect(vote.status()).toBe(200);
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1);
  const [message = ''] = received;
  expect(JSON.parse(message)).toMatchObject({ userId: user.id, path: `/poll/${poll.id}` });

  const deliver = await createPushDelivery(page.context(), server.address);
  const notifications = await recordNotifications(page);
  // The second copy replaces the first.
  await deliver(message);
  await deliver(message);
  await expect.poll(notifications.countShown).toBe(2);
  const expected = { title: 'Your first vote is in', body: 'Bench or stool?' };
  expect(await notifications.read()).toMatchObject([expected]);
  await notifications.tapLast();
  await expect(page).toHaveURL(new RegExp(`/poll/${poll.id}$`));
  await expect(page.getByRole('heading', { name: 'Bench or stool?' })).toBeVisible();
  expect(await notifications.read()).toEqual([]);

  await test.step('an open page is not reloaded, whether it shows the poll or another screen', async () => {
    await page.evaluate(() => Reflect.set(globalThis, 'isSamePage', true));
    for (const countShown of [3, 4]) {
      await deliver(message);
      await expect.poll(notifications.countShown).toBe(countShown);
      await notifications.tapLast();
      await expect(page).toHaveURL(new RegExp(`/poll/${poll.id}$`));
      expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true);
      await page.getByRole('button', { name: 'Back', exact: true }).click();
      await expect(page).toHaveURL('/settings');
    }
  });
});

test('switching push off or logging out removes the subscription', async ({ newUser, pushService }) => {
  const name = newName('ruth');
  const { page, monitor } = await newUser();
  const { received } = await pushService.connect(page);
  await registerAndOpenHome(page, name);
  await waitForServiceWorker(page);
  const endpoint = async () => (await (await page.request.get('/api/push')).json()).endpoint;
  await switchOnPush(page);
  expect(await endpoint()).not.toBeNull();
  await pushSwitch(page).click();
  await expect(pushSwitch(page)).not.toBeChecked();
  await expect(pushSwitch(page)).toBeEnabled();
  expect(await endpoint()).toBeNull();

  await test.step('a change whose response is lost is shown, without an error', async () => {
    monitor.expectNetworkErrors();
    await page.route('**/api/push', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      await route.fetch();
      await route.abort();
    });
    for (const isOn of [true, false]) {
      await pushSwitch(page).click();
      await expect(pushSwitch(page)).toBeEnabled();
      await expect(pushSwitch(page)).toBeChecked({ checked: isOn });
      expect(await page.getByText(/Push was not turned/).count()).toBe(0);
    }
    await page.unroute('**/api/push');
  });

  await switchOnPush(page);
  await test.step('a change that fails is taken back although the server cannot be asked either', async () => {
    await page.route('**/api/push', (route) => route.abort());
    await pushSwitch(page).click();
    await expect(page.getByText('Push may not have been turned off')).toBeVisible();
    await expect(pushSwitch(page)).toBeChecked();
    await page.unroute('**/api/push');
  });

  const poll = await postPoll(page, 'Here or there?');
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByText('You have been successfully logged out.')).toBeVisible();
  await register(page, newName('next'));
  await page.goto('/settings');
  await expect(pushSwitch(page)).toBeEnabled();
  await expect(pushSwitch(page)).not.toBeChecked();
  expect(await endpoint()).toBeNull();

  await test.step('another device of the first user gets the push messages, and this one does not', async () => {
    const { page: otherDevice } = await newUser();
    const { received: receivedElsewhere } = await pushService.connect(otherDevice);
    await otherDevice.request.post('/api/login', { data: { username: name, password: PASSWORD } });
    await switchOnPush(otherDevice);
    const vote = await page.request.post(`/api/questions/${poll.id}/vote`, { data: { option: 1 } });
    expect(vote.status()).toBe(200);
    await expect.poll(() => receivedElsewhere.length, { timeout: 30_000 }).toBe(1);
    expect(received).toEqual([]);
  });
});

test('a push message for another account is shown without its content', { tag: '@core' }, async ({
  newUser,
  server,
}) => {
  const { page } = await newUser();
  const user = await registerAndOpenHome(page, newName('sven'));
  await waitForServiceWorker(page);
  const deliver = await createPushDelivery(page.context(), server.address);
  const notifications = await recordNotifications(page);
  const secret = { tag: 'notification-1', title: 'Secret', body: 'Very', path: '/poll/1' };
  const neutral = { title: 'This or That?', body: 'There is something new.', tag: 'neutral', data: '/' };
  await deliver(JSON.stringify({ ...secret, userId: user.id + 1 }));
  await expect.poll(notifications.read).toEqual([neutral]);
  // Both messages are shown as the neutral notification, which replaces the previous one because it has the same tag.
  await deliver('not even JSON');
  await deliver(JSON.stringify({ ...secret, userId: user.id, path: '//elsewhere.example' }));
  await expect.poll(notifications.countShown).toBe(3);
  expect(await notifications.read()).toEqual([neutral]);
  await deliver(JSON.stringify({ ...secret, userId: user.id }));
  const own = { title: 'Secret', body: 'Very', tag: 'notification-1', data: '/poll/1' };
  await expect.poll(notifications.read).toEqual([neutral, own]);
});

test('a disabled push switch says why: blocked, offline, not supported, or not installed on iOS', async ({
  newUser,
  pushService,
}) => {
  const { page, monitor } = await newUser();
  await pushService.connect(page);
  await registerAndOpenHome(page, newName('tess'));
  await waitForServiceWorker(page);
  await page.goto('/settings');
  await expect(pushSwitch(page)).toBeEnabled();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(pushSwitch(page)).toHaveAccessibleDescription('Connect to change this');
  await expect(pushSwitch(page)).toBeDisabled();
  await page.context().setOffline(false);
  await expect(pushSwitch(page)).toBeEnabled();

  await setPermission(page, 'denied');
  await page.reload();
  await expect(page.getByText('Blocked in the browser’s settings')).toBeVisible();
  await expect(pushSwitch(page)).toBeDisabled();
  await setPermission(page, 'granted');
  await expect(pushSwitch(page)).toBeEnabled();

  await test.step('a late response does not undo a change', async () => {
    await pushSwitch(page).click();
    await expect(pushSwitch(page)).toBeChecked();
    await expect(pushSwitch(page)).toBeEnabled();
    const requested = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/push', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      requested.resolve();
      await gate.promise;
      await route.fulfill({ response });
    });
    await setPermission(page, 'denied');
    await expect(pushSwitch(page)).toBeDisabled();
    await setPermission(page, 'granted');
    await requested.promise;
    await pushSwitch(page).click();
    await expect(pushSwitch(page)).not.toBeChecked();
    await expect(pushSwitch(page)).toBeEnabled();
    const responded = page.waitForResponse(isPushRead);
    gate.resolve();
    await (await responded).finished();
    await waitTwoFrames(page);
    await expect(pushSwitch(page)).not.toBeChecked();
  });

  await test.step('a response during a change does not end it', async () => {
    const requested = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/push', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      requested.resolve();
      await gate.promise;
      await route.continue();
    });
    await pushSwitch(page).click();
    await requested.promise;
    await setPermission(page, 'denied');
    await expect(page.getByText('Blocked in the browser’s settings')).toBeVisible();
    const responded = page.waitForResponse(isPushRead);
    await setPermission(page, 'granted');
    await (await responded).finished();
    await waitTwoFrames(page);
    await expect(pushSwitch(page)).toBeChecked();
    await expect(pushSwitch(page)).toBeDisabled();
    gate.resolve();
    await expect(pushSwitch(page)).toBeEnabled();
    await expect(pushSwitch(page)).toBeChecked();
  });

  const withoutPush = () => Reflect.deleteProperty(globalThis, 'PushManager');
  const { page: pageWithoutPush } = await newUser({ serviceWorkers: 'block' });
  await pageWithoutPush.addInitScript(withoutPush);
  await register(pageWithoutPush, newName('udo'));
  await pageWithoutPush.goto('/settings');
  await expect(pageWithoutPush.getByText('This browser cannot receive push messages')).toBeVisible();
  await expect(pushSwitch(pageWithoutPush)).toBeDisabled();

  const userAgent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';
  const { page: iPhonePage } = await newUser({ userAgent, serviceWorkers: 'block' });
  await iPhonePage.addInitScript(withoutPush);
  await register(iPhonePage, newName('vera'));
  await iPhonePage.goto('/notifications');
  await expect(iPhonePage.getByText('Needs the app on the home screen')).toBeVisible();
  await iPhonePage.getByRole('button', { name: 'How?' }).click();
  const dialog = iPhonePage.getByRole('dialog', { name: 'Push on iPhone and iPad' });
  await expect(dialog).toContainText('Add to Home Screen');
  await expectNoViolations(iPhonePage, 'push on iOS');
  await dialog.getByRole('button', { name: 'Got it' }).click();
  await expect(dialog).toBeHidden();
});
