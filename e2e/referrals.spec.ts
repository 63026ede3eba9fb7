import { expect, type Page } from '@playwright/test';
import { stopClock, waitTwoFrames } from './testing/screens.ts';
import { register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName, PASSWORD, points } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Opens the referrals page. Returns the code under "Your code". */
async function openReferrals(page: Page): Promise<string> {
  await page.goto('/referrals');
  return page.getByRole('definition').first().innerText();
}

async function openReferTab(page: Page): Promise<void> {
  // The shell of the screen is shown until the screen is loaded.
  await expect(page.getByRole('button', { name: 'Create Poll' })).toBeEnabled();
  await page.getByRole('tab', { name: 'Refer & Earn' }).click();
}

test('a friend’s sign-up through the link earns points for the user who shared it', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page } = await newUser();
  await register(page, newName('edda'));
  const code = await openReferrals(page);
  await expect(page.getByText(`/auth?ref=${code}`)).toBeVisible();
  await expect(page.getByText('10 points for each friend')).toBeVisible();
  await expect(page.getByRole('definition').nth(1)).toHaveText('--');

  const name = newName('finn');
  const { page: friend } = await newUser();
  await friend.goto(`/signup?ref=${code}`);
  await expect(friend).toHaveURL(`/auth?tab=signup&ref=${code}`);
  await expect(friend.getByRole('tab', { name: 'Sign Up' })).toHaveAttribute('aria-selected', 'true');
  await friend.getByLabel('Username').fill(name);
  await friend.getByLabel('Email').fill(`${name}@example.org`);
  await friend.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await friend.getByRole('button', { name: 'Create Account' }).click();
  await expect(friend).toHaveURL('/explore');

  // A live update contains the balance; the earned points are fetched after it.
  await expect(points(page)).toHaveText('15');
  await expect(page.getByRole('definition').nth(1)).toHaveText('5');
});

test('Copy link copies the link, and the button shows it for three seconds', async ({ newUser, server }) => {
  const { page } = await newUser();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await register(page, newName('gina'));
  const code = await openReferrals(page);
  await stopClock(page);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${server.address}/auth?ref=${code}`,
  );
  await page.clock.runFor(2_500);
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();
});

test('a failed copy shows an error, and the full link to copy by hand', async ({ newUser, server }) => {
  const { page } = await newUser();
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  await register(page, newName('hugo'));
  const code = await openReferrals(page);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByText('Failed to copy')).toBeVisible();
  await expect(page.getByText('Please try again or copy manually')).toBeVisible();
  const link = page.getByText(`${server.address}/auth?ref=${code}`, { exact: true });
  await link.click();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(`${server.address}/auth?ref=${code}`);
});

test('a failed share shows an error, but a cancelled share does not', async ({ newUser }) => {
  const { page } = await newUser();
  await page.addInitScript(() => {
    const errorNames = ['AbortError', 'DataError'];
    navigator.share = () => Promise.reject(new DOMException('', errorNames.shift()));
  });
  await register(page, newName('iris'));
  await page.goto('/referrals');
  const share = page.getByRole('button', { name: 'Share Link' });
  await share.click();
  await waitTwoFrames(page);
  await expect(page.getByText("Couldn't share")).toHaveCount(0);
  await share.click();
  await expect(page.getByText("Couldn't share")).toBeVisible();
});

test('Refer & Earn on the home screen shows the link, the code and the earned points', async ({
  newUser,
  server,
}) => {
  const { page } = await newUser();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'share');
  });
  const { referralCode } = await registerAndOpenHome(page, newName('jana'));
  const link = `${server.address}/auth?ref=${referralCode}`;
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await openReferTab(page);
  await expect(page.getByText('5 points for each friend who signs up')).toBeVisible();
  await expect(page.getByRole('term')).toHaveText(['Your code', 'Points Earned']);
  await expect(page.getByRole('definition')).toHaveText([referralCode, '--']);
  await stopClock(page);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await readClipboard()).toBe(link);
  // On the home screen the button shows it for two seconds.
  await page.clock.runFor(1_900);
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  await page.clock.runFor(200);
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();

  await test.step('a device that cannot share copies the link', async () => {
    await page.evaluate(() => navigator.clipboard.writeText('something else'));
    await page.getByRole('button', { name: 'Share Link' }).click();
    await expect(page.getByText('Link copied')).toBeVisible();
    expect(await readClipboard()).toBe(link);
  });
});

test('a failed share on the home screen is only logged', async ({ newUser }) => {
  const { page } = await newUser();
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await page.addInitScript(() => {
    navigator.share = () => Promise.reject(new DOMException('', 'DataError'));
  });
  await registerAndOpenHome(page, newName('kurt'));
  await openReferTab(page);
  await page.getByRole('button', { name: 'Share Link' }).click();
  await expect.poll(() => logged.join()).toContain('Sharing failed');
  await expect(page.getByText("Couldn't share")).toHaveCount(0);
});
