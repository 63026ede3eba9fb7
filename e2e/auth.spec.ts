import { expect } from '@playwright/test';
import { waitForApp } from './testing/first-paint.ts';
import { register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { logIn, logOut, newName, PASSWORD, points, signUp } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a sign-up shows an error beside each invalid field and keeps the input', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page } = await newUser();
  await page.goto('/auth');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByText('Let the crowd decide!')).toBeVisible();
  await expect(page.getByText('min. 8 characters')).toBeVisible();
  await page.getByLabel('Username').fill('ab');
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByText('Username must be at least 3 characters')).toBeVisible();
  await expect(page.getByText('Please enter a valid email')).toBeVisible();
  await expect(page.getByText('Password must be at least 8 characters')).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveValue('ab');
  await expect(page.getByLabel('Email')).toHaveValue('nobody');
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('short');
  await expect(page.getByLabel('Username')).toBeFocused();
  await expect(page).toHaveURL(/\/auth/);
});

test('a password that the server refuses as too weak shows an error at its field', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(422, /\/api\/register$/);
  const message = 'This password is easy to guess. Add another word or two.';
  await page.route('**/api/register', (route) =>
    route.fulfill({
      status: 422,
      json: { message, code: 'weak_password', requestId: 'r1', issues: [{ path: 'password', message }] },
    }),
  );
  await page.goto('/auth?tab=signup');
  await page.getByRole('button', { name: 'Create Account' }).waitFor();
  await page.getByLabel('Username').fill(newName('weak'));
  await page.getByLabel('Email').fill('weak@example.org');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('correct horse battery');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveAccessibleDescription(new RegExp(message));
  await expect(password).toBeFocused();
  await password.fill('correct horse battery staple');
  await expect(page.getByText(message)).toBeHidden();
});

test('the sign-up form shows whether a username is available, regardless of case', async ({ newUser }) => {
  const name = newName('fran');
  const { page: otherDevice } = await newUser();
  await register(otherDevice, name);

  const { page } = await newUser();
  await page.goto('/auth?tab=signup');
  const field = page.getByLabel('Username');
  const expectNote = (note: string) => expect(field).toHaveAccessibleDescription(note);
  await expectNote('min. 3 characters');
  await field.fill(`${name}x`);
  await expectNote(`${name}x is available`);
  await field.fill(name.toUpperCase());
  await expectNote('Username is already taken');
  await field.fill('owner');
  await expectNote('This username is reserved. Please choose another one.');
  await field.fill('a b c');
  await expectNote('Use letters, digits, dots, dashes and underscores only');
  await field.fill('a'.repeat(31));
  await expectNote('Username must be at most 30 characters');
});

test('logging in needs the right password and earns a point', { tag: '@core' }, async ({ newUser }) => {
  const name = newName('gus');
  const { page, monitor } = await newUser();
  await signUp(page, name);
  await expect(page.getByText('Registration successful')).toBeVisible();
  await expect(page.getByText(`Welcome, ${name}! 10 points are yours.`)).toBeVisible();
  await expect(points(page)).toHaveText('10');

  await logOut(page);
  await expect(page).toHaveURL('/auth');

  monitor.expectStatus(401, /\/api\/login$/);
  await logIn(page, name, 'wrong horse battery');
  await expect(page.getByText('Login failed')).toBeVisible();
  const alert = page.getByRole('alert');
  await expect(alert).toHaveText('That username and password do not match.');
  await expect(alert).toBeFocused();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(alert).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill('wrong horse');
  await expect(alert).toHaveCount(0);
  await logIn(page, `${name}@example.org`);
  await expect(page).toHaveURL('/');
  await expect(page.getByText('Login successful')).toBeVisible();
  await expect(page.getByText(`Welcome back, ${name}!`)).toBeVisible();
  await expect(points(page)).toHaveText('11');
});

test('an empty login shows an error for both fields', async ({ newUser }) => {
  const { page } = await newUser();
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByText('Username is required')).toBeVisible();
  await expect(page.getByText('Password is required')).toBeVisible();
});

test('a logged-in user who opens /auth is redirected to the start page', async ({ newUser }) => {
  const { page } = await newUser();
  await signUp(page, newName('hana'));
  await page.goto('/auth');
  await expect(page).toHaveURL(/:\d+\/$/);
  await expect(page.getByRole('heading', { name: 'Your points' })).toBeVisible();
});

test('after a logout the screen shows nothing of the account', { tag: '@core' }, async ({ newUser }) => {
  const name = newName('ines');
  const { page } = await newUser();
  await signUp(page, name);
  await logOut(page);
  await expect(page.getByText('Logged out', { exact: true })).toBeVisible();
  await expect(page.getByText('You have been successfully logged out.')).toBeVisible();
  await page.goto('/home');
  await expect(page).toHaveURL(/\/auth\?next=%2Fhome$/);
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expect(page.getByText(name)).toHaveCount(0);
  await expect(points(page)).toHaveCount(0);
});

test('a sign-up with a taken username is not sent, and with a taken email shows an error', async ({
  newUser,
}) => {
  const taken = newName('mo');
  const { page: otherPage } = await newUser();
  await register(otherPage, taken);
  const { page, monitor } = await newUser();
  await page.goto('/auth?tab=signup');
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/register')) calls.push(request.url());
  });
  await page.getByLabel('Username').fill(taken);
  await page.getByLabel('Email').fill(`${taken}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await expect(page.getByText('Username is already taken')).toBeVisible();
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByLabel('Username')).toBeFocused();
  expect(calls).toEqual([]);

  monitor.expectStatus(409, /\/api\/register$/);
  await page.getByLabel('Username').fill(newName('mona'));
  await expect(page.getByText('is available')).toBeVisible();
  await page.getByRole('button', { name: 'Create Account' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toHaveText('That username or email is already taken.');
  await expect(alert).toBeFocused();
  await expect(page.getByText('Registration failed')).toBeVisible();
  await expect(page.getByText('That username or email is already taken.')).toHaveCount(2);
  await expect(page.getByText('is available')).toHaveCount(0);
  await test.step('the toast does not cover the button', async () => {
    const toast = await page.getByRole('status').filter({ hasText: 'Registration failed' }).boundingBox();
    const button = await page.getByRole('button', { name: 'Create Account' }).boundingBox();
    expect((toast?.y ?? 0) + (toast?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  });
  await page.getByLabel('Email').fill(`${newName('mona')}@example.org`);
  await expect(page.getByText('Registration failed')).toHaveCount(0);
  await expect(alert).toHaveCount(0);
  await expect(page.getByText('is available')).toBeVisible();
});

test('offline, login and sign-up say that they need a connection', async ({ newUser }) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await page.goto('/auth');
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(page.getByText('You are offline. Connect to log in.')).toBeVisible();
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByText('You are offline. Connect to sign up.')).toBeVisible();
});

test('a username of 3 characters or more is checked after half a second, and a failed check shows an error', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(500, /\/api\/check-username\//);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const checkedNames: string[] = [];
  await page.route('**/api/check-username/*', async (route) => {
    checkedNames.push(route.request().url().split('/').at(-1) ?? '');
    await released;
    await route.fulfill({ status: 500, body: 'broken' });
  });
  await page.clock.install();
  await page.goto('/auth?tab=signup');
  // The app replaces the form of the prerendered page when it starts.
  await page.getByRole('button', { name: 'Create Account' }).waitFor();
  await waitForApp(page);
  const name = page.getByLabel('Username');
  // Any time that the page has not reached yet: from then on, only `runFor` moves its clock.
  await page.clock.pauseAt(Date.now() + 60_000);
  await name.fill('ab');
  await page.clock.runFor(1_000);
  await name.fill('abc');
  await page.clock.runFor(450);
  await name.fill('abcd');
  await page.clock.runFor(450);
  expect(checkedNames).toEqual([]);
  await page.clock.runFor(50);
  await expect(page.getByText('Checking…')).toBeVisible();
  await expect.poll(() => checkedNames).toEqual(['abcd']);
  release();
  await expect(page.getByText('Error checking username availability')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeEnabled();
});

test('a rate-limited check of a username shows no error', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  monitor.expectStatus(429, /\/api\/check-username\//);
  const message = 'Too many requests. Please wait a moment.';
  await page.route('**/api/check-username/*', (route) =>
    route.fulfill({ status: 429, json: { code: 'rate_limited', message, requestId: 'r1' } }),
  );
  await page.goto('/auth?tab=signup');
  const checked = page.waitForResponse('**/api/check-username/*');
  await page.getByLabel('Username').fill('abcd');
  await checked;
  await expect(page.getByText('Not checked yet')).toBeVisible();
  await expect(page.getByText('Checking…')).toBeHidden();
  await expect(page.getByText('Error checking username availability')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeEnabled();
});

test('a check of a username that failed offline is repeated once the server is reachable', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser();
  await page.goto('/auth?tab=signup');
  await waitForApp(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  const name = newName('nova');
  await page.getByLabel('Username').fill(name);
  await expect(page.getByText('Error checking username availability')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText(`${name} is available`)).toBeVisible();
});

test('the forgot-password dialog shows that it is sending, and Cancel closes it', async ({ newUser }) => {
  const { page } = await newUser();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/forgot-password', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/auth');
  const dialog = page.getByRole('dialog', { name: 'Forgot password?' });
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await dialog.getByLabel('Email').fill('nobody@example.org');
  await dialog.getByRole('button', { name: 'Send Reset Link' }).click();
  await expect(dialog.getByRole('button', { name: 'Sending…' })).toBeDisabled();
  release();
  await expect(dialog.getByRole('status').first()).toContainText('you will receive instructions');
});

test('a logout that can be neither stored nor sent shows an error', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  await registerAndOpenHome(page, newName('nele'));
  await expect(points(page)).toHaveText('10');
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
  });
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await logOut(page);
  await expect(page.getByText('Logout failed')).toBeVisible();
  await expect(page.getByText('This device has no space left')).toBeVisible();
  await expect(page).toHaveURL('/home');
});

test('the strength of a new password is read out once the user stops typing, not after each key', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await page.clock.install();
  await page.goto('/auth?tab=signup');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('tall lamp, cold river');
  await expect(password).toHaveAccessibleDescription(/Strong very hard to guess/);
  await password.evaluate((field) => {
    const note = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    const spoken: string[] = [];
    Object.assign(globalThis, { spoken });
    const record = () => {
      const copy = note?.cloneNode(true) as Element;
      for (const hidden of copy.querySelectorAll('[aria-hidden]')) hidden.remove();
      spoken.push(copy.textContent ?? '');
    };
    if (note !== null)
      new MutationObserver(record).observe(note, { subtree: true, childList: true, characterData: true });
  });
  // Any time that the page has not reached yet: from then on, only `runFor` moves its clock.
  await page.clock.pauseAt(Date.now() + 60_000);
  await password.fill('tall');
  await page.getByText('Too short').first().waitFor();
  await password.fill('tall lamp');
  await page.getByText('Good').first().waitFor();
  await page.clock.runFor(1_000);
  await expect(password).toHaveAccessibleDescription(/Good one more word makes it strong/);
  const spoken: string[] = await page.evaluate(() => Reflect.get(globalThis, 'spoken'));
  expect(spoken.filter((text) => text.includes('Too short'))).toEqual([]);
});
