import { type APIRequestContext, expect, type Page, request } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { User } from '#shared/accounts/schema.ts';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import type { AdminPolls } from '#shared/admin/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { colourImage } from './photos.ts';
import type { NewUser } from './test.ts';
import { fillPoll, newName, PASSWORD } from './user-actions.ts';

/** Signs up a user by an API call with the page's cookies; the page does not change. */
export async function register(
  { request: device }: Pick<Page, 'request'>,
  username: string,
  referralCode?: string,
): Promise<User> {
  const response = await device.post('/api/register', {
    data: { username, email: `${username}@example.org`, password: PASSWORD, referralCode },
  });
  expect(response.status()).toBe(201);
  return response.json();
}

/** Signs up a user by an API call and opens /home, which shows the feed. */
export async function registerAndOpenHome(page: Page, username: string): Promise<User> {
  const user = await register(page, username);
  await page.goto('/home');
  return user;
}

/** The create dialog stores its draft on the device within this time after a change. */
export const DRAFT_STORED_WITHIN_MS = 1_000;
/** Longer than the dialog takes to open. */
export const DIALOG_OPENED_WITHIN_MS = 1_000;
/** Longer than the dialog takes to close. */
export const DIALOG_CLOSED_WITHIN_MS = 1_000;

/** Waits until the service worker has cached the app, which then works offline. */
export async function waitForServiceWorker(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Logs in the owner, an administrator, by an API call. Leaves the current page, whose calls would be refused. */
export async function logInAsOwner(page: Page, { ownerPassword }: StartedServer): Promise<void> {
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  const response = await page.request.post('/api/login', {
    data: { username: 'owner', password: ownerPassword },
  });
  expect(response.status()).toBe(200);
}

/** Lets the server generate `count` sample polls. Needs an administrator's page. Slow. */
export async function generateSamplePolls(page: Page, count: number): Promise<void> {
  const response = await page.request.post('/api/admin/generate-polls', { data: { count } });
  expect(response.status()).toBe(201);
}

/** Generates sample polls, at least `minGenerated`, until the server has `minTotal`. Needs an administrator's page. */
export async function ensurePolls(page: Page, minTotal: number, minGenerated = 0): Promise<void> {
  const { pagination }: AdminPolls = await (await page.request.get('/api/admin/polls')).json();
  const count = Math.max(minTotal - pagination.total, minGenerated);
  if (count > 0) await generateSamplePolls(page, count);
}

/** Logs in the owner, and fills the admin lists: users, more than a page of polls, a completed job and the audit log. */
export async function fillAdminLists(page: Page, server: StartedServer): Promise<void> {
  await logInAsOwner(page, server);
  // At least one poll, so that the audit log has an entry about a job besides the one about the suspended user.
  const polls = ensurePolls(page, ADMIN_PAGE_SIZE + 1, 1);
  const names = ['spam_king', 'rosalind-with-a-long-name', 'sven'];
  const [spammer] = await Promise.all(
    names.map((name) => withNewUser(server, newName(name), async (user) => user)),
  );
  await polls;
  const response = await page.request.post(`/api/admin/users/${spammer?.id}/suspend`, { data: {} });
  expect(response.status()).toBe(200);
}

/** Signs up a user without a page. Passes the user, and their device for further API calls, to `work`. */
export async function withNewUser<Result>(
  { address }: StartedServer,
  username: string,
  work: (user: User, device: APIRequestContext) => Promise<Result>,
): Promise<Result> {
  const device = await request.newContext({ baseURL: address });
  const result = await work(await register({ request: device }, username), device);
  await device.dispose();
  return result;
}

/** Creates a poll of the page's user by an API call. */
export async function postPoll(
  page: Page,
  question: string,
  {
    durationDays = 3,
    captions = ['This', 'That'],
  }: { durationDays?: number; captions?: [string, string] } = {},
): Promise<Poll> {
  const file = async (name: string, colour: string) => ({
    name,
    mimeType: 'image/jpeg',
    buffer: await colourImage(colour),
  });
  const response = await page.request.post('/api/questions', {
    multipart: {
      question,
      option1Caption: captions[0],
      option2Caption: captions[1],
      duration: String(durationDays),
      responsesWanted: '10',
      option1Image: await file('a.jpg', '#c40'),
      option2Image: await file('b.jpg', '#04c'),
    },
  });
  expect(response.status()).toBe(201);
  return (await response.json()).poll;
}

/** Creates a poll while the page is offline. It will be refused, because the user then spends the points on another device. */
export async function createPollWithoutPoints(
  page: Page,
  username: string,
  question: string,
  newUser: NewUser,
): Promise<void> {
  const dialog = await fillPoll(page, question);
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByText('Saved on this device')).toBeVisible();
  const { page: otherDevice } = await newUser();
  const login = { data: { username, password: PASSWORD } };
  expect((await otherDevice.request.post('/api/login', login)).ok()).toBe(true);
  await postPoll(otherDevice, newName('Elsewhere'));
}
