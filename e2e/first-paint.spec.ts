import { expect, type Page } from '@playwright/test';
import { expectHomeShell, holdScript, watchShifts } from './testing/first-paint.ts';
import { newName, PASSWORD } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** Time enough for a page to know who is there. */
const A_WHILE_MS = 500;
const LOGIN_FIELD = 'Username or email';

/** Marks the elements that are there, to see later whether they are still the same ones. */
function markElements(page: Page, selector: string): Promise<void> {
  return page.evaluate((all) => {
    for (const element of document.querySelectorAll(all)) Reflect.set(element, 'isMarked', true);
  }, selector);
}

function countMarked(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (all) => [...document.querySelectorAll(all)].filter((each) => Reflect.get(each, 'isMarked')).length,
    selector,
  );
}

async function expectLoginScreen(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: /This.*That/ })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Log In', 'Sign Up']);
  await expect(page.getByLabel(LOGIN_FIELD)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
}

test('without scripts /auth shows its forms, and /home its shell', async ({ newPerson }) => {
  const { page } = await newPerson({ javaScriptEnabled: false });
  await page.goto('/auth');
  await expectLoginScreen(page);
  await page.goto('/auth?ref=ABC');
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Sign Up');
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
  await page.goto('/home');
  await expectHomeShell(page);
  await page.goto('/points');
  await expect(page.locator('#root')).toBeEmpty();
});

for (const [theme, background] of [
  ['light', 'oklch(0.966 0.007 85)'],
  ['dark', 'oklch(0.19 0.01 55)'],
] as const) {
  test(`the prerendered pages have the ${theme} theme before the app runs`, async ({ newPerson }) => {
    const { page } = await newPerson();
    const release = await holdScript(page);
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

test('the app takes over the login screen as it is, with the text typed so far and the focus', async ({
  newPerson,
}) => {
  const name = newName('nora');
  const { page: elsewhere } = await newPerson();
  await register(elsewhere, name);
  const { page } = await newPerson();
  const release = await holdScript(page);
  const readShifts = await watchShifts(page);
  await page.goto('/auth?next=%2Fhome', { waitUntil: 'commit' });
  await expectLoginScreen(page);
  await page.getByLabel(LOGIN_FIELD).fill(name);
  await page.getByLabel('Password', { exact: true }).pressSequentially('correct horse');
  await markElements(page, 'h1, main, input, button');
  const count = await countMarked(page, 'h1, main, input, button');
  release();
  await expect(page.locator('[data-page]')).toHaveCount(0);
  expect(await countMarked(page, 'h1, main, input, button')).toBe(count);
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(PASSWORD.slice('correct horse'.length));
  await expect(page.getByLabel(LOGIN_FIELD)).toHaveValue(name);
  expect(await readShifts()).toBe(0);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL(/\/home$/);
});

test('Log In tapped before the app runs logs in, and puts no password into the address', async ({
  newPerson,
}) => {
  const name = newName('olga');
  const { page: elsewhere } = await newPerson();
  await register(elsewhere, name);
  const { page } = await newPerson();
  const release = await holdScript(page);
  await page.goto('/auth?next=%2Fhome', { waitUntil: 'commit' });
  await page.getByLabel(LOGIN_FIELD).fill(name);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).search).toBe('?next=%2Fhome');
  release();
  await expect(page).toHaveURL(/\/home$/);
});

test('Sign Up tapped before the app runs opens the form for a new account', async ({ newPerson }) => {
  const { page } = await newPerson();
  const release = await holdScript(page);
  await page.goto('/auth', { waitUntil: 'commit' });
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  release();
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
});

/** Whether the first script of the app has been requested. */
const isScriptRequested = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /index-.*js$/.test(name)));

test('the scripts of /auth are requested after the first paint', async ({ newPerson }) => {
  const { page } = await newPerson();
  await page.goto('/auth');
  await expect(page.locator('[data-page]')).toHaveCount(0);
  const [paintMs, scriptMs] = await page.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const script = performance.getEntriesByType('resource').find(({ name }) => /index-.*js$/.test(name));
    return [paint?.startTime, script?.startTime];
  });
  expect(scriptMs).toBeGreaterThanOrEqual(paintMs ?? Number.NaN);
});

test('the scripts of a share link are requested after its images', async ({ newPerson }) => {
  const { page: maker } = await newPerson();
  await register(maker, newName('sara'));
  const { shareUrl = '' } = await postPoll(maker, newName('Shared?'));
  const { page } = await newPerson();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/uploads\//, async (route) => {
    await promise;
    await route.continue();
  });
  await page.goto(new URL(shareUrl).pathname, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { name: 'Shared?' })).toBeVisible();
  await page.waitForTimeout(A_WHILE_MS);
  expect(await isScriptRequested(page)).toBe(false);
  resolve();
  await expect(page.locator('[data-page]')).toHaveCount(0);
});

for (const [where, visibility, latestMs] of [
  ['in a tab that is hidden', 'hidden', 1_000],
  ['where the browser reports no paint', 'visible', 5_000],
] as const) {
  test(`the app starts ${where}`, async ({ newPerson }) => {
    const { page } = await newPerson();
    await page.addInitScript((state) => {
      Object.defineProperty(document, 'visibilityState', { get: () => state });
      PerformanceObserver.prototype.observe = () => undefined;
    }, visibility);
    await page.goto('/auth', { waitUntil: 'commit' });
    await expect(page.locator('[data-page]')).toHaveCount(0, { timeout: latestMs });
  });
}

test('the app takes over the shell of /home, and nothing moves until the polls replace the skeletons', async ({
  newPerson,
}) => {
  const { page: maker } = await newPerson();
  await register(maker, newName('paul'));
  await postPoll(maker, newName('Seen at once?'));
  const { page } = await newPerson();
  await register(page, newName('pia'));
  const release = await holdScript(page);
  const readShifts = await watchShifts(page);
  await page.goto('/home', { waitUntil: 'commit' });
  await expectHomeShell(page);
  await markElements(page, 'header, main, nav');
  const count = await countMarked(page, 'header, main, nav');
  const places = () =>
    page
      .locator('header, [role=tablist], #bottom-nav')
      .evaluateAll((all) => all.map((each) => JSON.stringify(each.getBoundingClientRect())));
  const before = await places();
  release();
  await expect(page.getByRole('article').first()).toBeVisible();
  expect(await places()).toEqual(before);
  expect(await countMarked(page, 'header, main, nav')).toBeGreaterThanOrEqual(count);
  expect(await readShifts()).toBe(0);
});

test('a visitor on /home is led to /auth, and a user on /auth to the start', async ({ newPerson }) => {
  const { page } = await newPerson();
  await page.goto('/home');
  await expect(page).toHaveURL(/\/auth\?next=%2Fhome$/);
  await expectLoginScreen(page);
  await register(page, newName('quin'));
  await page.goto('/auth');
  await expect(page).toHaveURL(/localhost:\d+\/$/);
});

test('a user on /auth is led to the start also when the session is known before the screen is there', async ({
  newPerson,
}) => {
  const { page } = await newPerson();
  await register(page, newName('rick'));
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/assets\/auth-[\w-]+\.js$/, async (route) => {
    await promise;
    await route.continue();
  });
  const answered = page.waitForResponse(/\/api\/user$/);
  await page.goto('/auth', { waitUntil: 'commit' });
  await answered;
  // The answer is stored before the session is known.
  await page.waitForTimeout(A_WHILE_MS);
  await expectLoginScreen(page);
  resolve();
  await expect(page).toHaveURL(/localhost:\d+\/$/);
});

test('a prerendered page that an extension of the browser has changed is rendered anew', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson();
  watch.expectFault(/Minified React error #418/);
  const release = await holdScript(page);
  await page.goto('/auth', { waitUntil: 'commit' });
  await expectLoginScreen(page);
  await page.evaluate(() => {
    document.querySelector('form')?.replaceChildren('Changed');
    Reflect.set(window, 'isFirst', true);
  });
  release();
  await expectLoginScreen(page);
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByText('Username is required')).toBeVisible();
  // Not reloaded, as after an error of the app.
  expect(await page.evaluate(() => Reflect.get(window, 'isFirst'))).toBe(true);
});

test('offline the service worker has the prerendered pages for their addresses, and the empty one for others', async ({
  newPerson,
}) => {
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await joinIn(page, newName('rosa'));
  await untilKept(page);
  await page.context().setOffline(true);
  for (const [path, expected] of [
    ['/home', 'home'],
    ['/home?tab=refer', 'home'],
    ['/auth', 'auth'],
    ['/auth?next=%2Fhome', 'auth'],
    ['/auth?ref=ABC', 'auth-signup'],
    ['/settings', undefined],
  ] as const) {
    const answer = await page.goto(path);
    expect(answer?.fromServiceWorker()).toBe(true);
    const [, found] = /<div id="root"(?: data-page="([\w-]+)")?>/.exec((await answer?.text()) ?? '') ?? [];
    expect([path, found]).toEqual([path, expected]);
  }
});

test('the first page of somebody new calls nothing that is refused', async ({ newPerson }) => {
  const { page } = await newPerson();
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(answer.url());
  });
  await page.goto('/auth');
  await page.waitForLoadState('networkidle');
  await expectLoginScreen(page);
  expect(refused).toEqual([]);
});
