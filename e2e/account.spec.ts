import { expect, type Page } from '@playwright/test';
import { mailedLink } from './testing/mails.ts';
import { createPoll, logIn, newName } from './testing/people.ts';
import { DESKTOP } from './testing/screens.ts';
import { joinIn, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save Changes' }).click();
}

test('a new name and email are saved, and the email is verified again', async ({ newPerson, server }) => {
  const name = newName('fay');
  const renamed = newName('faye');
  const email = `${renamed}@example.com`;
  const { page } = await newPerson();
  await joinIn(page, name);
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Edit Profile' }).click();
  await expect(page).toHaveURL('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(name);

  await page.getByLabel('Username').fill(renamed);
  await page.getByLabel('Email').first().fill(email);
  await expect(page.getByText('A new email has to be verified.')).toBeVisible();
  await expect(page.getByText(`${renamed} is available`)).toBeVisible();
  await save(page);
  await expect(page.getByText('Changes saved')).toBeVisible();
  await expect(page.getByText(`Open the link that we sent to ${email}.`)).toBeVisible();
  await page.goto(await mailedLink(server, 'verify', email));
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible();

  await page.goto('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(renamed);
  await expect(page.getByLabel('Email').first()).toHaveValue(email);
  await expect(page.getByText('Your email is not verified')).toHaveCount(0);
});

test('what was changed elsewhere meanwhile is not changed back', async ({ newPerson }) => {
  const name = newName('finn');
  const renamed = newName('finnian');
  const email = `${renamed}@example.com`;
  const { page } = await newPerson();
  await joinIn(page, name);
  await page.goto('/settings');
  await expect(page.getByText('Your email is not verified')).toBeVisible();
  expect((await page.request.patch('/api/user', { data: { username: renamed } })).status()).toBe(200);
  const told = page.waitForResponse(/\/api\/user$/);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await told;
  await expect(page.getByRole('banner').getByText(renamed)).toBeAttached();
  await page.getByLabel('Email').first().fill(email);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await save(page);
  expect((await sent).postDataJSON()).toEqual({ email });
  await expect(page.getByText('Changes saved')).toBeVisible();
});

test('what cannot be saved is said beside its field, and a taken name never goes out', async ({
  newPerson,
}) => {
  const taken = newName('gil');
  const { page: other } = await newPerson();
  await joinIn(other, taken);
  const name = newName('hal');
  const { page, watch } = await newPerson();
  await joinIn(page, name);
  await page.goto('/settings');
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') calls.push(request.url());
  });

  await page.getByLabel('Username').fill('ab');
  await page.getByLabel('Email').first().fill('nobody');
  await save(page);
  await expect(page.getByText('Username must be at least 3 characters')).toBeVisible();
  await expect(page.getByText('Please enter a valid email')).toBeVisible();
  await expect(page.getByLabel('Username')).toBeFocused();

  await page.getByLabel('Email').first().fill(`${name}@example.org`);
  await page.getByLabel('Username').fill(taken);
  await expect(page.getByText(`${taken} is taken`)).toBeVisible();
  await save(page);
  await expect(page.getByLabel('Username')).toBeFocused();
  expect(calls).toEqual([]);

  watch.expectStatus(409, /\/api\/user$/);
  await page.getByLabel('Username').fill(name.toUpperCase());
  await page.getByLabel('Email').first().fill(`${taken}@example.org`);
  await save(page);
  await expect(page.getByRole('alert')).toContainText('That username or email is already taken.');
  await expect(page.getByRole('alert')).toBeFocused();
  await expect(page.getByLabel('Email').first()).toHaveValue(`${taken}@example.org`);
});

test('without a connection the settings say that saving needs one, and keep what was typed', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  const name = newName('ilse');
  await joinIn(page, name);
  await page.goto('/settings');
  await expect(page.getByLabel('Username')).toHaveValue(name);
  await untilKept(page);
  watch.expectLosses();
  await page.context().setOffline(true);
  await expect(page.getByText('There is no connection. Saving needs one.')).toBeVisible();
  await page.getByLabel('Username').fill(`${name}x`);
  await save(page);
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(page.getByLabel('Username')).toHaveValue(`${name}x`);

  await page.context().setOffline(false);
  await save(page);
  await expect(page.getByText('Changes saved')).toBeVisible();
});

test('theme and switches are kept on the device, and Logout logs out', async ({ newPerson }) => {
  const { page } = await newPerson();
  await joinIn(page, newName('jon'));
  await page.goto('/settings');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'Account Information',
    'Appearance',
    'Notifications',
    'Danger Zone',
  ]);
  const push = page.getByRole('switch', { name: 'Push' });
  const email = page.getByRole('switch', { name: 'Email' });
  await expect(push).toBeChecked();
  await expect(email).toBeChecked();
  await email.focus();
  await page.keyboard.press('Space');
  await expect(email).not.toBeChecked();
  await page.getByRole('main').getByRole('radio', { name: 'Light' }).click();
  await page.reload();
  await expect(page.getByRole('switch', { name: 'Email' })).not.toBeChecked();
  await expect(push).toBeChecked();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByText('You have been successfully logged out.')).toBeVisible();
});

test('Logout in the settings asks first when changes wait', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  await joinIn(page, newName('kai'));
  await untilKept(page);
  await page.reload();
  watch.expectLosses();
  await page.context().setOffline(true);
  await createPoll(page, {
    question: 'Sent or kept?',
    captions: ['Sent', 'Kept'],
    said: 'Saved on this device',
  });
  await page.goto('/settings');
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByRole('dialog')).toContainText('Log out with 1 change waiting?');

  await page.goto('/diagnostic');
  await expect(page.getByRole('main')).toContainText('Waiting to be sent1');
});

test('administrators have their tools and their screen in the place of Refer', async ({
  newPerson,
  server,
}) => {
  const { page } = await newPerson({ viewport: DESKTOP });
  await page.goto('/auth?next=/settings');
  await logIn(page, 'owner', server.ownerPassword);
  await expect(page.getByRole('heading', { name: 'Admin Tools' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Admin dashboard' })).toHaveAttribute('href', '/admin');
  const banner = page.getByRole('banner');
  await expect(banner.getByRole('link', { name: 'Admin' })).toHaveAttribute('href', '/admin');
  await expect(banner.getByRole('link', { name: 'Refer' })).toHaveCount(0);
});

test('the diagnostic report is copied and tells nothing of the person', async ({ newPerson }) => {
  const name = newName('lou');
  const { page } = await newPerson({ serviceWorkers: 'allow' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await joinIn(page, name);
  await page.goto('/diagnostic');
  await expect(page.getByRole('main')).toContainText('Persisted');
  await page.getByRole('button', { name: 'Copy report' }).click();
  await expect(page.getByText('Report copied')).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toMatch(/Build\n {2}App: \d/);
  expect(report).toContain('Waiting to be sent: 0');
  expect(report).not.toContain(name);
});
