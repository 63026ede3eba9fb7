import { expect, type Locator, type Page, request } from '@playwright/test';
import sharp from 'sharp';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { User } from '#shared/accounts/schema.ts';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import type { AdminPolls } from '#shared/admin/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { newName, PASSWORD } from './people.ts';

/** Signs somebody up with one call in the place of the form; the page stays where it is. */
export async function register(page: Page, username: string, referralCode?: string): Promise<User> {
  const answer = await page.request.post('/api/register', {
    data: { username, email: `${username}@example.org`, password: PASSWORD, referralCode },
  });
  expect(answer.status()).toBe(201);
  return answer.json();
}

/** Signs somebody up with one call, and opens the feed. */
export async function joinIn(page: Page, username: string): Promise<User> {
  const user = await register(page, username);
  await page.goto('/home');
  return user;
}

/** Waits until the device keeps the app: from then on each of its parts is there without a network. */
export async function untilKept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Logs the owner, who is an administrator, in with one call. The page is left: the login ends the session of its calls. */
export async function logInAsOwner(page: Page, { ownerPassword }: StartedServer): Promise<void> {
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  const answer = await page.request.post('/api/login', {
    data: { username: 'owner', password: ownerPassword },
  });
  expect(answer.status()).toBe(200);
}

/** For an administrator's page: has the server `wanted` polls at least. It encodes the images of each that it makes. */
export async function morePolls(page: Page, wanted: number, leastMade = 0): Promise<void> {
  const { pagination }: AdminPolls = await (await page.request.get('/api/admin/polls')).json();
  const count = Math.max(wanted - pagination.total, leastMade);
  if (count <= 0) return;
  const answer = await page.request.post('/api/admin/generate-polls', { data: { count } });
  expect(answer.status()).toBe(201);
}

/** Logs the owner in, and has some users there, more polls than one page holds, work that is done, and its trail. */
export async function fillTables(page: Page, server: StartedServer): Promise<void> {
  await logInAsOwner(page, server);
  // One poll at least, for the trail.
  const polls = morePolls(page, ADMIN_PAGE_SIZE + 1, 1);
  const names = ['spam_king', 'rosalind-with-a-long-name', 'sven'];
  const [spammer] = await Promise.all(names.map((name) => signUpElsewhere(server, newName(name))));
  await polls;
  const answer = await page.request.post(`/api/admin/users/${spammer?.id}/suspend`, { data: {} });
  expect(answer.status()).toBe(200);
}

/** Signs somebody up on a device that nobody looks at. */
async function signUpElsewhere({ address }: StartedServer, username: string): Promise<User> {
  const device = await request.newContext({ baseURL: address });
  const answer = await device.post('/api/register', {
    data: { username, email: `${username}@example.org`, password: PASSWORD },
  });
  expect(answer.status()).toBe(201);
  const user = await answer.json();
  await device.dispose();
  return user;
}

/** A small image of one colour. */
export const colourImage = (background: string) =>
  sharp({ create: { width: 60, height: 80, channels: 3, background } })
    .jpeg()
    .toBuffer();

/** Makes a poll of the page's user with one call in the place of the dialog. */
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
  const answer = await page.request.post('/api/questions', {
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
  expect(answer.status()).toBe(201);
  return (await answer.json()).poll;
}

/** Opens Create Poll and fills it in, small images for want of others, without handing it in. Returns the dialog. */
export async function fillPoll(
  page: Page,
  question: string,
  photo?: Buffer,
  openedBy = 'Create Poll',
): Promise<Locator> {
  await page.getByRole('button', { name: openedBy }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question').fill(question);
  for (const [letter, colour] of [
    ['A', '#c40'],
    ['B', '#04c'],
  ] as const) {
    const file = {
      name: `${letter}.jpg`,
      mimeType: 'image/jpeg',
      buffer: photo ?? (await colourImage(colour)),
    };
    await dialog.getByLabel(`Add image ${letter}`).setInputFiles(file);
    await dialog.getByLabel(`Caption of option ${letter}`).fill(`Caption ${letter}`);
    await expect(dialog.getByLabel(`Replace image ${letter}`)).toBeAttached();
  }
  return dialog;
}
