import { expect, type Page } from '@playwright/test';
import { DEVICE_COOKIE } from '#shared/http.ts';
import { expectHomeShell, holdMainScript, recordLayoutShifts, waitForApp } from './testing/first-paint.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, PASSWORD } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** Longer than a page takes to request its scripts, and to store and apply a session that it has received. */
const SETTLED_AFTER_MS = 500;
/** `early.js` starts the scripts after this time even if the browser has reported no paint. */
const START_TIMEOUT_MS = 3_000;
const LOGIN_FIELD = 'Username or email';

/** Marks the elements that match now, so that `countMarked` later shows whether they were kept or replaced. */
function markElements(page: Page, selector: string): Promise<void> {
  return page.evaluate((all) => {
    for (const element of document.querySelectorAll(all)) Reflect.set(element, 'isMarked', true);
  }, selector);
}

function countMarked(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (all) => [...document.querySelectorAll(all)].filter((element) => Reflect.get(element, 'isMarked')).length,
    selector,
  );
}

async function expectLoginScreen(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: /This.*That/ })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Log In', 'Sign Up']);
  await expect(page.getByLabel(LOGIN_FIELD)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
}

test('without JavaScript /auth shows its forms, and /home its shell', { tag: '@core' }, async ({
  newUser,
}) => {
  const { page } = await newUser({ javaScriptEnabled: false });
  await page.goto('/auth');
  await expectLoginScreen(page);
  await page.goto('/auth?ref=ABC');
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Sign Up');
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
  await page.goto('/home');
  await expectHomeShell(page);
  // The bottom navigation does not cover the end of the page.
  await expect(page.locator('main')).toHaveCSS('padding-bottom', '84px');
  await page.goto('/points');
  await expect(page.locator('#root')).toBeEmpty();
});

for (const [theme, background] of [
  ['light', 'oklch(0.966 0.007 85)'],
  ['dark', 'oklch(0.19 0.01 55)'],
] as const) {
  test(`the prerendered pages have the ${theme} theme before the app runs`, async ({ newUser, server }) => {
    const { page } = await newUser();
    // Without this cookie, /home would redirect to /auth.
    await page.context().addCookies([{ name: DEVICE_COOKIE, value: '1', url: server.address }]);
    const release = await holdMainScript(page);
    await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
    for (const [path, expectShown] of [
      ['/auth', expectLoginScreen],
      ['/home', expectHomeShell],
    ] as const) {
      await page.goto(path, { waitUntil: 'commit' });
      await expectShown(page);
      await expect(page.locator('html')).toHaveCSS('background-color', background);
      await page.screenshot({ path: test.info().outputPath(`${theme}${path.replace('/', '-')}.png`) });
    }
    release();
  });
}

for (const path of ['/', '/home', '/home?tab=refer']) {
  test(`a new visitor of ${path} sees the login screen before the app runs`, async ({ newUser }) => {
    const { page } = await newUser();
    const release = await holdMainScript(page);
    await page.goto(path);
    await expectLoginScreen(page);
    const next = encodeURIComponent(path);
    await expect(page).toHaveURL(`/auth?next=${next}`);
    release();
    await waitForApp(page);
    await expect(page).toHaveURL(`/auth?next=${next}`);
  });
}

test('offline, a user whose cookies were deleted still gets to the polls on the device', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  await register(page, newName('sara'));
  await postPoll(page, 'Kept or lost?');
  await page.goto('/home');
  const poll = card(page, 'Kept or lost?').first();
  await expect(poll).toBeVisible();
  await waitForServiceWorker(page);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.context().clearCookies();
  await page.goto('/home');
  await expect(poll).toBeVisible();
  await expect(page).toHaveURL(/\/home$/);
});

test('hydration changes nothing on the login screen, and keeps the typed text and the focus', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('nora');
  const { page: otherPage } = await newUser();
  await register(otherPage, name);
  const { page } = await newUser();
  const release = await holdMainScript(page);
  const readShifts = await recordLayoutShifts(page);
  await page.goto('/auth?next=%2Fhome', { waitUntil: 'commit' });
  await expectLoginScreen(page);
  await page.getByLabel(LOGIN_FIELD).fill(name);
  await page.getByLabel('Password', { exact: true }).pressSequentially('correct horse');
  await markElements(page, 'h1, main, input, button');
  const count = await countMarked(page, 'h1, main, input, button');
  release();
  await waitForApp(page);
  expect(await countMarked(page, 'h1, main, input, button')).toBe(count);
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(PASSWORD.slice('correct horse'.length));
  await expect(page.getByLabel(LOGIN_FIELD)).toHaveValue(name);
  expect(await readShifts()).toBe(0);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL(/\/home$/);
});

test('Log In pressed before the app runs logs in, and the password does not appear in the URL', {
  tag: '@core',
}, async ({ newUser }) => {
  const name = newName('olga');
  const { page: otherPage } = await newUser();
  await register(otherPage, name);
  const { page } = await newUser();
  const release = await holdMainScript(page);
  await page.goto('/auth?next=%2Fhome', { waitUntil: 'commit' });
  await page.getByLabel(LOGIN_FIELD).fill(name);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).search).toBe('?next=%2Fhome');
  release();
  await expect(page).toHaveURL(/\/home$/);
});

test('Sign Up pressed before the app runs opens the form for a new account', async ({ newUser }) => {
  const { page } = await newUser();
  const release = await holdMainScript(page);
  await page.goto('/auth', { waitUntil: 'commit' });
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  release();
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
});

/** Whether the first script of the app has been requested. */
const isScriptRequested = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /index-.*js$/.test(name)));

test('the scripts of /auth are requested after the first paint', async ({ newUser }) => {
  const { page } = await newUser();
  await page.goto('/auth');
  await waitForApp(page);
  const [paintMs, scriptMs] = await page.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const script = performance.getEntriesByType('resource').find(({ name }) => /index-.*js$/.test(name));
    return [paint?.startTime, script?.startTime];
  });
  expect(scriptMs).toBeGreaterThanOrEqual(paintMs ?? Number.NaN);
});

test('the code of the login screen contains neither the engine nor the database', { tag: '@core' }, async ({
  server,
}) => {
  const html = await (await fetch(`${server.address}/auth`)).text();
  const chunks = [...html.matchAll(/<link rel="modulepreload"[^>]* href="\/assets\/(\w+)-/g)].map(
    ([, name]) => name,
  );
  // Shows that the pattern finds chunks.
  expect(chunks).toContain('contract');
  for (const name of ['sync', 'dexie', 'engine']) expect(chunks).not.toContain(name);
});

test('the scripts of a share link are requested after its images', async ({ newUser }) => {
  const { page: maker } = await newUser();
  await register(maker, newName('sara'));
  const { shareUrl = '' } = await postPoll(maker, newName('Shared?'));
  const { page } = await newUser();
  const { promise: imagesReleased, resolve: releaseImages } = Promise.withResolvers<void>();
  await page.route(/\/uploads\//, async (route) => {
    await imagesReleased;
    await route.continue();
  });
  await page.goto(new URL(shareUrl).pathname, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { name: 'Shared?' })).toBeVisible();
  await page.waitForTimeout(SETTLED_AFTER_MS);
  expect(await isScriptRequested(page)).toBe(false);
  releaseImages();
  await waitForApp(page);
});

for (const [where, visibility, waits] of [
  ['at once in a hidden tab', 'hidden', false],
  ['after a timeout when the browser reports no paint', 'visible', true],
] as const) {
  test(`the app starts ${where}`, async ({ newUser }) => {
    const { page } = await newUser();
    await page.addInitScript((state) => {
      Object.defineProperty(document, 'visibilityState', { get: () => state });
      PerformanceObserver.prototype.observe = () => undefined;
    }, visibility);
    await page.goto('/auth', { waitUntil: 'commit' });
    await waitForApp(page);
    const waitedMs = await page.evaluate(() => {
      const [navigation] = performance.getEntriesByType('navigation');
      const script = performance.getEntriesByType('resource').find(({ name }) => /index-.*js$/.test(name));
      if (!(navigation instanceof PerformanceNavigationTiming) || script === undefined) return null;
      return script.startTime - navigation.domContentLoadedEventStart;
    });
    expect(waitedMs).not.toBeNull();
    expect(Number(waitedMs) >= START_TIMEOUT_MS).toBe(waits);
  });
}

test('the app hydrates the shell of /home, and the layout does not shift until the polls replace the skeletons', async ({
  newUser,
}) => {
  const { page: maker } = await newUser();
  await register(maker, newName('paul'));
  await postPoll(maker, newName('Seen at once?'));
  const { page } = await newUser();
  await register(page, newName('pia'));
  const release = await holdMainScript(page);
  const readShifts = await recordLayoutShifts(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expectHomeShell(page);
  await markElements(page, 'header, main, nav');
  const count = await countMarked(page, 'header, main, nav');
  const boxes = () =>
    page
      .locator('header, [role=tablist], #bottom-nav')
      .evaluateAll((all) => all.map((element) => JSON.stringify(element.getBoundingClientRect())));
  const boxesBefore = await boxes();
  release();
  await expect(page.getByRole('article').first()).toBeVisible();
  expect(await boxes()).toEqual(boxesBefore);
  expect(await countMarked(page, 'header, main, nav')).toBe(count);
  expect(await readShifts()).toBe(0);
});

test('a visitor of /home is redirected to /auth, and a user on /auth to the start page', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { page } = await newUser();
  // Because of this cookie `early.js` does not redirect. The app does, once it knows the session.
  await page.context().addCookies([{ name: DEVICE_COOKIE, value: '1', url: server.address }]);
  await page.goto('/home');
  await expect(page).toHaveURL(/\/auth\?next=%2Fhome$/);
  await expectLoginScreen(page);
  await expect(page.locator('html')).not.toHaveClass(/has-bottom-nav/);
  await register(page, newName('quin'));
  await page.goto('/auth');
  await expect(page).toHaveURL(/localhost:\d+\/$/);
});

test('a user on /auth is redirected even when the session is known before the screen is loaded', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await register(page, newName('rick'));
  const { promise: screenReleased, resolve: releaseScreen } = Promise.withResolvers<void>();
  await page.route(/\/assets\/auth-[\w-]+\.js$/, async (route) => {
    await screenReleased;
    await route.continue();
  });
  const received = page.waitForResponse(/\/api\/user$/);
  await page.goto('/auth', { waitUntil: 'commit' });
  await received;
  // The app stores the response before it updates the session.
  await page.waitForTimeout(SETTLED_AFTER_MS);
  await expectLoginScreen(page);
  releaseScreen();
  await expect(page).toHaveURL(/localhost:\d+\/$/);
});

test('a prerendered page that a browser extension has changed is rendered again', async ({ newUser }) => {
  const { page, monitor } = await newUser();
  // React's message about HTML that differs from the rendered page.
  monitor.expectUncaughtError(/Minified React error #418/);
  const release = await holdMainScript(page);
  await page.goto('/auth', { waitUntil: 'commit' });
  await expectLoginScreen(page);
  await page.evaluate(() => {
    document.querySelector('form')?.replaceChildren('Changed');
    Reflect.set(window, 'isSameDocument', true);
  });
  release();
  await expectLoginScreen(page);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByText('Username is required')).toBeVisible();
  // The app has not reloaded the page, as it does after an uncaught error.
  expect(await page.evaluate(() => Reflect.get(window, 'isSameDocument'))).toBe(true);
});

test('offline, the service worker serves prerendered pages, and the empty page for other paths', async ({
  newUser,
}) => {
  const { page, monitor } = await newUser({ serviceWorkers: 'allow' });
  monitor.expectNetworkErrors();
  await registerAndOpenHome(page, newName('rosa'));
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  for (const [path, expected] of [
    ['/home', 'home'],
    ['/home?tab=refer', 'home'],
    ['/auth', 'auth'],
    ['/auth?next=%2Fhome', 'auth'],
    ['/auth?ref=ABC', 'auth-signup'],
    ['/settings', undefined],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.fromServiceWorker()).toBe(true);
    const [, pageName] =
      /<div id="root"(?: data-page="([\w-]+)")?>/.exec((await response?.text()) ?? '') ?? [];
    expect([path, pageName]).toEqual([path, expected]);
  }
});

test('a first visit causes no failed request', async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'allow' });
  const failed: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(response.url());
  });
  await page.goto('/auth');
  await page.waitForLoadState('networkidle');
  await expectLoginScreen(page);
  expect(failed).toEqual([]);
});
