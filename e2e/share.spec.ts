import { expect, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { Poll } from '#shared/polls/schema.ts';
import { expectNoViolations } from './testing/axe.ts';
import { voteAsNewUsers } from './testing/crowd.ts';
import { holdMainScript } from './testing/first-paint.ts';
import { PHONE } from './testing/screens.ts';
import {
  logInAsOwner,
  postPoll,
  register,
  registerAndOpenHome,
  waitForServiceWorker,
} from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { card, logIn, newName, PASSWORD, points } from './testing/user-actions.ts';

const QUESTION = 'Sand or summit?';
const CAPTIONS: [string, string] = ['Beach', 'Mountains'];
const NOTE = 'Your vote will count as soon as you have';

const pathOf = ({ shareUrl = '' }: Poll) => new URL(shareUrl).pathname;

async function postSharedPoll(newUser: NewUser, question = QUESTION) {
  const { page: maker } = await newUser({ serviceWorkers: 'block' });
  const user = await register(maker, newName('jonas'));
  const poll = await postPoll(maker, question, { captions: CAPTIONS });
  const read = async (): Promise<Poll> => (await maker.request.get(`/api/questions/${poll.id}`)).json();
  return { maker, user, poll, path: pathOf(poll), read };
}

async function chooseOption(page: Page, path: string, caption: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('button', { name: caption }).click();
  await expect(page.getByRole('note')).toContainText(NOTE);
}

async function fillSignUp(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
}

test('a visitor of a share link votes, signs up, and the vote is counted', { tag: '@core' }, async ({
  newUser,
}) => {
  const { path, read, poll } = await postSharedPoll(newUser);
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1, name: QUESTION })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Beach' })).toBeVisible();
  await expect(page).toHaveTitle(`${QUESTION} · This or That?`);
  await expect(page.getByText('%')).toHaveCount(0);
  await expect(page.getByText('votes')).toHaveCount(0);
  await page.getByRole('button', { name: 'Mountains' }).click();

  await expect(page).toHaveURL(/\/auth\?tab=signup/);
  await expect(page.getByText('One step, then your vote counts.')).toBeVisible();
  await expect(page.getByRole('note')).toContainText('Mountains');
  await test.step('the visitor changes the option and reloads', async () => {
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Beach' }).click();
    await page.reload();
    await expect(page.getByRole('note')).toContainText('Beach');
  });
  await fillSignUp(page, newName('mila'));
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page).toHaveURL(`/poll/${poll.id}`);
  await expect(page.getByText('100%').first()).toBeVisible();
  await expect(points(page)).toContainText('11');
  expect((await read()).results).toEqual({ option1: 1, option2: 0 });

  await test.step('the link now leads to the poll, and the vote is counted once', async () => {
    await page.goto(path);
    await expect(page).toHaveURL(`/poll/${poll.id}`);
    await expect(page.getByText('100%').first()).toBeVisible();
    expect((await read()).results).toEqual({ option1: 1, option2: 0 });
    await page.goBack();
    await expect(page).not.toHaveURL(path);
  });

  await test.step('once the session has ended, a tap leads to the login', async () => {
    const { path: otherPath } = await postSharedPoll(newUser);
    monitor.expectStatus(401, /\/api\//);
    await page.context().clearCookies();
    await page.goto('/home');
    await expect(page).toHaveURL(/\/auth/);
    // Without a reload, after which the app considers the session valid until the server refuses it.
    await page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
    }, otherPath);
    await expect(page.getByText('Pick one, then log in and your vote counts.')).toBeVisible();
    await page.getByRole('button', { name: 'Beach' }).click();
    await expect(page.getByRole('tab', { name: 'Log In' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('note')).toContainText('logged in');
  });
});

test('a vote tapped before the app runs is kept', async ({ newUser }) => {
  const { path } = await postSharedPoll(newUser);
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  const release = await holdMainScript(page);
  await page.goto(path, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Mountains' }).click();
  release();
  await expect(page.getByRole('note')).toContainText('Mountains');
});

test('a visitor who has already voted sees after the login that the first vote is kept', async ({
  newUser,
}) => {
  const { path, read, poll } = await postSharedPoll(newUser);
  const { page: otherPage } = await newUser({ serviceWorkers: 'block' });
  const name = newName('vera');
  await register(otherPage, name);
  await otherPage.request.post(`/api/questions/${poll.id}/vote`, { data: { option: 1 } });

  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await chooseOption(page, path, 'Mountains');
  await page.getByRole('tab', { name: 'Log In' }).click();
  await expect(page.getByRole('note')).toContainText('logged in');
  await logIn(page, name);
  await expect(page).toHaveURL(`/poll/${poll.id}`);
  await expect(page.getByText('You had already voted')).toBeVisible();
  await expect(page.getByText('Your vote for Beach stays.')).toBeVisible();
  expect((await read()).results).toEqual({ option1: 1, option2: 0 });
  await test.step('Back leads to where the link was opened', async () => {
    await page.goBack();
    await expect(page).toHaveURL('about:blank');
  });
});

test('the maker, and a visitor whose vote is too late, see why the vote was not counted', async ({
  newUser,
  server,
}) => {
  const { path, read, poll, user } = await postSharedPoll(newUser);
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await test.step('the maker', async () => {
    await chooseOption(page, path, 'Beach');
    await page.getByRole('tab', { name: 'Log In' }).click();
    await logIn(page, user.username);
    await expect(page).toHaveURL(`/poll/${poll.id}`);
    await expect(page.getByText('This is your own poll')).toBeVisible();
  });
  await test.step('a visitor whose vote is too late', async () => {
    const { page: lateVisitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
    await chooseOption(lateVisitor, path, 'Beach');
    await voteAsNewUsers(server, poll.id, poll.responsesWanted, 2);
    await fillSignUp(lateVisitor, newName('lotte'));
    await lateVisitor.getByRole('button', { name: 'Create Account' }).click();
    await expect(lateVisitor).toHaveURL(`/poll/${poll.id}`);
    await expect(lateVisitor.getByText('The poll closed before your vote counted')).toBeVisible();
    expect((await read()).results).toEqual({ option1: 0, option2: 10 });
  });
  await test.step('a visitor now sees the result', async () => {
    const { page: visitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
    await visitor.goto(path);
    await expect(visitor.getByText('The crowd has decided.')).toBeVisible();
    await expect(visitor.getByText('Completed')).toBeVisible();
    await expect(visitor.getByText('10 votes')).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Beach' })).toHaveCount(0);
    await expectNoViolations(visitor, 'a closed shared poll');
  });
});

test('the vote is still sent when the connection is lost right after the sign-up', async ({ newUser }) => {
  const { path, read, poll } = await postSharedPoll(newUser);
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  await chooseOption(page, path, 'Beach');
  await page.route(/\/api\/(?:questions|batch)/, (route) => route.abort());
  await fillSignUp(page, newName('nell'));
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page).toHaveURL(`/poll/${poll.id}`);
  await page.unroute(/\/api\/(?:questions|batch)/);
  await expect.poll(async () => (await read()).votesCount, { timeout: 30_000 }).toBe(1);
  await page.reload();
  await expect(page.getByText('100%').first()).toBeVisible();
  expect((await read()).votesCount).toBe(1);
});

test('the HTML of a share link contains title and card image for previews in other apps', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const { path, poll } = await postSharedPoll(newUser);
  const html = await (await fetch(server.address + path)).text();
  const content = (property: string) =>
    new RegExp(`<meta (?:property|name)="${property}" content="([^"]*)"`).exec(html)?.[1];
  expect(content('og:title')).toBe(QUESTION);
  expect(content('description')).toContain('Beach or Mountains?');
  expect(content('twitter:card')).toBe('summary_large_image');
  expect(content('og:url')).toBe(poll.shareUrl);
  const image = await fetch(content('og:image') ?? '');
  expect(image.headers.get('Content-Type')).toBe('image/jpeg');
  const metadata = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
  expect([metadata.width, metadata.height]).toEqual([1200, 630]);
});

test('without JavaScript the share link shows the poll', async ({ newUser }) => {
  const { path } = await postSharedPoll(newUser);
  const { page } = await newUser({ javaScriptEnabled: false });
  await page.goto(path);
  await expect(page.getByRole('heading', { name: QUESTION })).toBeVisible();
  await expect(page.getByRole('button')).toHaveText(['ABeach', 'BMountains']);
  await expect(page.getByRole('link', { name: 'Log in' })).toHaveAttribute(
    'href',
    `/auth?next=${encodeURIComponent(path)}`,
  );
});

test('the share link of a deleted poll shows the same 404 as an unknown link', async ({
  newUser,
  server,
}) => {
  const { path, poll } = await postSharedPoll(newUser);
  const { page: owner } = await newUser({ serviceWorkers: 'block' });
  await logInAsOwner(owner, server);
  expect((await owner.request.delete(`/api/admin/polls/${poll.id}`)).status()).toBe(200);
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  monitor.expectStatus(404, /\/s\//);
  for (const address of [path, '/s/AAAAAAAAAAAAAAAAAAAAAA']) {
    const response = await page.goto(address);
    expect(response?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'This poll is gone' })).toBeVisible();
    await expect(page.getByText('It has been removed, or it never existed.')).toBeVisible();
    await expect(page).toHaveTitle('This poll is gone · This or That?');
  }
});

test('a poll can be shared by copying its link or as a QR code', async ({ newUser }) => {
  const question = 'Ship or train?';
  const { poll } = await postSharedPoll(newUser, question);
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'));
  await registerAndOpenHome(page, newName('rosa'));
  const dialog = page.getByRole('dialog', { name: 'Share this poll' });
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());

  await test.step('the card’s menu copies the link', async () => {
    await card(page, question).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await expect(dialog.getByLabel('Link')).toHaveValue((poll.shareUrl ?? '').replace('http://', ''));
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await expect(dialog.getByText('Link copied')).toBeVisible();
    // The toast covers neither the title nor the button.
    await dialog.getByRole('heading', { name: 'Share this poll' }).click({ trial: true });
    await dialog.getByRole('button', { name: 'Close' }).click({ trial: true });
    expect(await readClipboard()).toBe(poll.shareUrl);
    await dialog.getByRole('button', { name: 'Close' }).click();
  });
  await page.goto(`/poll/${poll.id}`);
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  await test.step('the poll’s page saves the QR code', async () => {
    const code = dialog.getByRole('img', { name: /^QR code of/ });
    await expect(code).toBeVisible();
    await expectNoViolations(page, 'share dialog');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save code' }).click();
    const file = await (await download).path();
    const metadata = await sharp(file).metadata();
    expect([metadata.format, metadata.width, metadata.height]).toEqual(['png', 1024, 1024]);
  });
  await test.step('the QR code can be shown large', async () => {
    await dialog.getByRole('button', { name: 'Show large' }).click();
    const large = page.getByRole('dialog', { name: question });
    await expect(large.getByText('Scan and pick one')).toBeVisible();
    // The dialog is white even in the dark theme, whose light icons would be invisible on it.
    const colorOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).color);
    const closeColor = await colorOf(large.getByRole('button', { name: 'Close' }));
    expect(closeColor).toBe(await colorOf(large.getByRole('heading')));
    await expectNoViolations(page, 'large code');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });
});

test('a large QR code is not cut off by a long question', async ({ newUser }) => {
  const { poll } = await postSharedPoll(newUser, 'Would you rather '.repeat(11));
  const { page } = await newUser({ viewport: { width: 320, height: 568 }, serviceWorkers: 'block' });
  await register(page, newName('rosa'));
  await page.goto(`/poll/${poll.id}`);
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Show large' }).click();
  const code = page.getByRole('dialog').getByRole('img', { name: /^QR code of/ });
  await expect(code).toBeInViewport({ ratio: 1 });
});

test('Send link opens the device’s share sheet', async ({ newUser }) => {
  const { poll } = await postSharedPoll(newUser);
  const { page } = await newUser({ viewport: PHONE, serviceWorkers: 'block' });
  await page.addInitScript(() => {
    navigator.share = async (data) => {
      document.documentElement.dataset.sent = JSON.stringify(data);
    };
  });
  await register(page, newName('tom'));
  await page.goto(`/poll/${poll.id}`);
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  await expect(page.getByRole('button', { name: 'Copy', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.locator('html')).toHaveAttribute(
    'data-sent',
    JSON.stringify({ title: QUESTION, url: poll.shareUrl }),
  );
});

test('offline, a share link shows a cached poll, and says for other polls that they need a connection', async ({
  newUser,
}) => {
  const { path, poll } = await postSharedPoll(newUser);
  const { page, monitor } = await newUser({ viewport: PHONE, serviceWorkers: 'allow' });
  await register(page, newName('otto'));
  await page.goto(`/poll/${poll.id}`);
  await expect(page.getByRole('heading', { name: QUESTION })).toBeVisible();
  await waitForServiceWorker(page);
  await test.step('online, the server responds to the share link', async () => {
    await page.goto(path);
    await expect(page).toHaveURL(`/poll/${poll.id}`);
  });
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await page.goto(path);
  await expect(page).toHaveURL(`/poll/${poll.id}`);
  await expect(page.getByRole('heading', { name: QUESTION })).toBeVisible();
  await page.goto('/s/AAAAAAAAAAAAAAAAAAAAAA');
  await expect(page.getByRole('heading', { name: 'This poll needs a connection' })).toBeVisible();
});
