import { getEventListeners } from 'node:events';
import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createConcurrencyLimiter } from '#api/images/concurrency-limiter.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll, type PollFields } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { createCardStore } from './card-store.ts';
import { findSharedPoll } from './find-shared-poll.ts';

const app = await createTestApp();
const { cards, images, imagePipeline, env } = app.deps;

const CALLER = { client: '127.0.0.1' };

const makePoll = async (fields?: PollFields) => openPoll(app, await app.signUp(), fields);
const slugOf = ({ shareUrl = '' }: Poll) => shareUrl.split('/').at(-1) ?? '';
const cardPath = (poll: Poll) => `/s/${slugOf(poll)}/card.jpg`;
const cardFilesOf = async (poll: Poll) =>
  (await readdir(cards.folder)).filter((name) => name.startsWith(poll.id));

async function rowOf(poll: Poll) {
  const row = await findSharedPoll(app.deps, slugOf(poll), null);
  if (row === null) throw new Error('No poll');
  return row;
}

const pixelAt = async (bytes: Buffer, left: number, top: number) => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];

/** Which of two channels of a pixel are bright. */
async function brightChannelsAt(bytes: Buffer, left: number, top: number) {
  const [red = 0, , blue = 0] = await pixelAt(bytes, left, top);
  return { red: red > 128, blue: blue > 128 };
}

test('the card is a JPEG of 1200 by 630 pixels, which other sites may embed', async () => {
  const poll = await makePoll({ option1Caption: 'Beach', option2Caption: 'Mountains' });
  const response = await app.visitor().get(cardPath(poll));
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cross-origin-resource-policy': 'cross-origin',
    'x-robots-tag': 'noindex',
    'cache-control': 'public, max-age=3600',
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 });
  // The images of the test are red and blue.
  expect(await brightChannelsAt(bytes, 200, 100)).toEqual({ red: true, blue: false });
  expect(await brightChannelsAt(bytes, 1_000, 100)).toEqual({ red: false, blue: true });
  const etag = response.headers.get('ETag') ?? '';
  expect((await app.visitor().get(cardPath(poll), { 'If-None-Match': etag })).status).toBe(304);
});

test.each([
  ['markup', '<span size="9999999">a & b</span></span>'],
  ['no letters', '… ?! …'],
  ['control characters', 'a\u0001b\u001bc'],
  ['stacked combining marks', `z${'\u0323\u0302'.repeat(90)}`],
  ['one long word', 'W'.repeat(200)],
  ['other scripts', 'Привет 你好 مرحبا 😀'],
])('a question with %s has a card', async (_case, question) => {
  const poll = await makePoll({ question, option1Caption: question.slice(0, 80) });
  const response = await app.visitor().get(cardPath(poll));
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 1200, height: 630 });
});

test('missing and broken images are replaced with letters', async () => {
  const poll = await makePoll();
  await images.remove([poll.option1Image]);
  await images.storage.replace(poll.option2Image.replace('/uploads/', ''), Buffer.from('no image'));
  const response = await app.visitor().get(cardPath(poll));
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  // Each half is dark, with its letter on a square in the middle that is orange or blue.
  for (const left of [100, 1_100]) expect(Math.max(...(await pixelAt(bytes, left, 100)))).toBeLessThan(80);
  expect(await brightChannelsAt(bytes, 250, 164)).toEqual({ red: true, blue: false });
  expect(await brightChannelsAt(bytes, 830, 164)).toEqual({ red: false, blue: true });
});

test('a card with a letter in place of a stored image is not kept, but one in place of a placeholder is', async () => {
  const poll = await makePoll();
  const name = poll.option1Image.replace('/uploads/', '');
  const bytes = await images.read(name, 'large');
  const readCard = async () => {
    const response = await app.visitor().get(cardPath(poll));
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  await images.remove([poll.option1Image]);
  const [card, sameCard] = await Promise.all([readCard(), readCard()]);
  expect(await brightChannelsAt(card, 200, 100)).toEqual({ red: false, blue: false });
  expect(sameCard).toEqual(card);
  await images.storage.replace(name, bytes ?? Buffer.from(''));
  expect(await brightChannelsAt(await readCard(), 200, 100)).toEqual({ red: true, blue: false });
  expect(await cardFilesOf(poll)).toHaveLength(1);
  await app.db.sql`update polls set option1_image = '/placeholder-1.svg' where id = ${poll.id}`;
  expect(await brightChannelsAt(await readCard(), 200, 100)).toEqual({ red: false, blue: false });
  expect(await cardFilesOf(poll)).toHaveLength(2);
});

test('concurrent requests compose a card once, and later ones read the file', async () => {
  const poll = await makePoll();
  const compose = vi.spyOn(imagePipeline, 'compose');
  onTestFinished(() => compose.mockRestore());
  const responses = await Promise.all(Array.from({ length: 8 }, () => app.visitor().get(cardPath(poll))));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await app.visitor().get(cardPath(poll))).status).toBe(200);
  expect(compose).toHaveBeenCalledTimes(1);
  expect(await cardFilesOf(poll)).toHaveLength(1);
  expect(await readdir(images.incomingFolder)).toEqual([]);
});

test('a failed composition leaves no file, and the next request tries again', async () => {
  const poll = await makePoll();
  const compose = vi.spyOn(imagePipeline, 'compose').mockRejectedValueOnce(new Error('The disk is full'));
  onTestFinished(() => compose.mockRestore());
  expect((await app.visitor().get(cardPath(poll))).status).toBe(500);
  expect(await cardFilesOf(poll)).toEqual([]);
  expect((await app.visitor().get(cardPath(poll))).status).toBe(200);
});

test('only cards that have not been composed count against the limit', async () => {
  const [composed, notComposed] = [await makePoll(), await makePoll()];
  const { client, limits } = limitedClient(app, await app.signUp());
  expect((await client.get(cardPath(composed))).status).toBe(200);
  await useUp(limits.cardsOfClient, '127.0.0.1');
  expect((await client.get(cardPath(composed))).status).toBe(200);
  const limited = await client.get(cardPath(notComposed));
  expect(limited.status).toBe(429);
  expect(await cardFilesOf(notComposed)).toEqual([]);
});

test('a request that is refused does not refuse concurrent requests for the same card', async () => {
  const poll = await makePoll();
  const row = await rowOf(poll);
  const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const refused = cards.open(row, CALLER, async () => {
    noteAsked();
    await isReleased;
    throw new AppError('rate_limited');
  });
  await isAsked;
  const card = await cards.open(row, CALLER, async () => {});
  expect(card?.bytes).toBeGreaterThan(0);
  release();
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
  await card?.close();
});

test('a composition leaves the queue when all clients that wait for it have disconnected', async () => {
  const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 1, retryAfterSeconds: 5 });
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const blockingWork = limiter.run(() => mayEnd);
  const { compose } = createImagePipeline(limiter);
  const store = await createCardStore(env.dataDir, { images, imagePipeline: { compose } });
  const row = await rowOf(await makePoll());
  const clients = [new AbortController(), new AbortController()];
  const refused = clients.map(({ signal }) =>
    expect(store.open(row, { ...CALLER, signal }, async () => {})).rejects.toMatchObject({
      code: 'invalid_input',
    }),
  );
  // Both wait for the composition.
  await expect
    .poll(() => clients.map(({ signal }) => getEventListeners(signal, 'abort').length))
    .toEqual([1, 1]);
  clients[0]?.abort();
  expect(limiter.waiting()).toBe(1);
  clients[1]?.abort();
  expect(limiter.waiting()).toBe(0);
  await Promise.all(refused);
  const next = store.open(row, CALLER, async () => {});
  await expect.poll(limiter.waiting).toBe(1);
  end();
  await blockingWork;
  const card = await next;
  expect(card?.bytes).toBeGreaterThan(0);
  await card?.close();
});

test('a composition that runs goes on after its client has disconnected, and is shared by the next request', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let compositions = 0;
  const compose: typeof imagePipeline.compose = (work, caller) =>
    imagePipeline.compose(async (createDecoder) => {
      compositions += 1;
      const card = work(createDecoder);
      await mayEnd;
      return card;
    }, caller);
  const store = await createCardStore(env.dataDir, { images, imagePipeline: { compose } });
  const row = await rowOf(await makePoll());
  const client = new AbortController();
  const first = store.open(row, { ...CALLER, signal: client.signal }, async () => {});
  await expect.poll(() => compositions).toBe(1);
  client.abort();
  const admit = vi.fn(async () => {});
  const next = store.open(row, CALLER, admit);
  end();
  for (const card of await Promise.all([first, next])) {
    expect(card?.bytes).toBeGreaterThan(0);
    await card?.close();
  }
  expect(admit).not.toHaveBeenCalled();
  expect(compositions).toBe(1);
});

test('a poll whose image changes gets another card', async () => {
  const poll = await makePoll();
  await app.visitor().get(cardPath(poll));
  await app.db.sql`update polls set option1_image = '/placeholder-1.svg' where id = ${poll.id}`;
  await app.visitor().get(cardPath(poll));
  expect(await cardFilesOf(poll)).toHaveLength(2);
});

test('the sweep removes the cards of deleted and removed polls and no others', async () => {
  const admin = await signUpAdmin(app);
  const [existing, deleted, removed] = [await makePoll(), await makePoll(), await makePoll()];
  for (const poll of [existing, deleted, removed]) await app.visitor().get(cardPath(poll));
  await admin.delete(`/api/admin/polls/${deleted.id}`);
  await app.db.sql`
    update polls set removed_at = now(), removed_rule = 'spam', active_before = active, active = false
    where id = ${removed.id}`;
  expect(await cards.sweep(app.db)).toBe(2);
  const remaining = await Promise.all([existing, deleted, removed].map(cardFilesOf));
  expect(remaining.map(({ length }) => length)).toEqual([1, 0, 0]);
});

test('beyond the maximum number the oldest cards are removed', async () => {
  for (const name of await readdir(cards.folder)) await rm(join(cards.folder, name));
  const store = await createCardStore(env.dataDir, { images, imagePipeline, cardsMax: 3, cardsAfterTrim: 2 });
  const polls: Poll[] = [];
  for (let index = 0; index < 4; index += 1) {
    const poll = await makePoll();
    polls.push(poll);
    const card = await store.open(await rowOf(poll), CALLER, async () => {});
    await card?.close();
    const [name = ''] = await cardFilesOf(poll);
    // Each card is a second newer than the one before it. The fourth exceeds the maximum, and is the newest anyway.
    if (index < 3) await utimes(join(cards.folder, name), index + 1, index + 1);
  }
  const remaining = await Promise.all(polls.map(cardFilesOf));
  expect(remaining.map(({ length }) => length)).toEqual([0, 0, 1, 1]);
});
