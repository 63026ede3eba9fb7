import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { createReadCache } from '#api/http/read-cache.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { afterStatement } from '#api/testing/database-hooks.ts';
import { uploadsFolder } from '#api/testing/invariants.ts';
import { openPoll } from '#api/testing/poll-factory.ts';
import { decide, reportedPoll } from '#api/testing/reports.ts';
import { serveLive } from '#api/testing/servers/live-server.ts';
import { createTestApp, limitedClient, useUp } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';

const MEGABYTE = 1_000_000;
const IMAGE_BYTES = MEGABYTE;
/** More than the operating system buffers for a client that does not read. */
const LARGE_BYTES = 30 * MEGABYTE;
/** The slots of one client. */
const SLOTS = 32;

// Clients are told apart by `X-Forwarded-For`; without this header, they have the address of the test.
const app = await createTestApp({ env: { trustProxy: 1 } });
const address = await serveLive(app);
const { hostname, port } = new URL(address);
const name = `${'0a'.repeat(16)}.webp`;
const largeName = `${'0b'.repeat(16)}.webp`;
const bytes = Buffer.alloc(IMAGE_BYTES, 'image');
await writeFile(join(uploadsFolder(app.deps), name), bytes);
await writeFile(join(uploadsFolder(app.deps), largeName), Buffer.alloc(LARGE_BYTES));

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Sends requests for an image on one connection and reads nothing. */
async function requestWithoutReading(path: string, count = 1): Promise<void> {
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  cleanups.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET /uploads/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count));
}

/** The peak memory of buffers within the next second, in megabytes. */
async function peakMb(): Promise<number> {
  let peak = 0;
  for (let count = 0; count < 20; count += 1) {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return peak / MEGABYTE;
}

test.each([
  ['few connections with many requests each', 4, 200],
  ['many connections with few requests each', 200, 4],
])('unread responses take little memory: %s', async (_case, connections, count) => {
  const peakBeforeMb = await peakMb();
  for (let index = 0; index < connections; index += 1) await requestWithoutReading(name, count);
  expect((await peakMb()) - peakBeforeMb).toBeLessThan(150);
});

test('clients that do not read their responses do not block other clients', async () => {
  for (let index = 0; index < 2 * SLOTS; index += 1) await requestWithoutReading(largeName);
  // A client with the same address would have to wait.
  const headers = { 'X-Forwarded-For': '192.0.2.1' };
  // On a new connection, which the next test cannot reuse.
  const [response] = await once(get(`${address}/uploads/${name}`, { headers, agent: false }), 'response');
  expect(Buffer.concat(await Array.fromAsync<Buffer>(response)).equals(bytes)).toBe(true);
});

test('a slot is released when its response is read or its client disconnects', async () => {
  for (let index = 0; index < SLOTS; index += 1) await requestWithoutReading(largeName);
  let hasResponse = false;
  const waiting = fetch(`${address}/uploads/${name}`).then(async (response) => {
    hasResponse = true;
    return response.bytes();
  });
  // Time for a response that does not wait for a slot.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(hasResponse).toBe(false);
  for (const cleanup of cleanups.splice(0)) cleanup();
  expect((await waiting).length).toBe(IMAGE_BYTES);
  for (let count = 0; count < 2 * SLOTS; count += 1) {
    expect((await (await fetch(`${address}/uploads/${name}`)).bytes()).length).toBe(IMAGE_BYTES);
  }
});

test('HEAD has the headers of GET and no body', async () => {
  const response = await fetch(`${address}/uploads/${name}`, { method: 'HEAD' });
  expect(response.headers.get('Content-Length')).toBe(String(IMAGE_BYTES));
  expect(response.headers.get('Content-Type')).toBe('image/webp');
  expect(await response.text()).toBe('');
});

test('an image that is deleted while it is being sent is sent completely', async () => {
  const response = await fetch(`${address}/uploads/${largeName}`);
  await rm(join(uploadsFolder(app.deps), largeName));
  expect((await response.bytes()).length).toBe(LARGE_BYTES);
  expect((await fetch(`${address}/uploads/${largeName}`)).status).toBe(404);
});

test('requests for images are limited per client', async () => {
  const { client, limits } = limitedClient(app, await app.signUp());
  await useUp(limits.imagesOfClient, '127.0.0.1', { callsLeft: 1 });
  expect((await client.get(`/uploads/${name}`)).status).toBe(200);
  const limited = await client.get(`/uploads/${name}`);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await limited.json()).toMatchObject({ code: 'rate_limited' });
});

test('a client that has cached the image gets 304', async () => {
  const firstResponse = await app.visitor().get(`/uploads/${name}`);
  expect(firstResponse.headers.get('Cache-Control')).toBe('public, max-age=86400');
  const etag = firstResponse.headers.get('ETag') ?? '';
  const revalidated = await app.visitor().get(`/uploads/${name}`, { 'If-None-Match': etag });
  expect([revalidated.status, await revalidated.text()]).toEqual([304, '']);
  expect(revalidated.headers.get('ETag')).toBe(etag);
  expect(revalidated.headers.get('Cache-Control')).toBe('public, max-age=86400');
  expect((await app.visitor().get(`/uploads/${name}`, { 'If-None-Match': '"another"' })).status).toBe(200);
});

describe('the images of a poll that an administrator has removed', () => {
  const statusOf = async (path: string) => (await app.visitor().get(path)).status;

  test('respond with 404 until the removal is undone, even to clients that have cached them', async () => {
    const admin = await signUpAdmin(app);
    const { poll } = await reportedPoll(app, 1);
    const paths = [poll.option1Image, `${poll.option2Image}?w=480`];
    const etag = (await app.visitor().get(paths[0] ?? '')).headers.get('ETag') ?? '';
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200]);

    await decide(admin, poll.id, 'remove');
    expect(await Promise.all(paths.map(statusOf))).toEqual([404, 404]);
    const revalidated = await app.visitor().get(paths[0] ?? '', { 'If-None-Match': etag });
    expect([revalidated.status, revalidated.headers.get('Cache-Control')]).toEqual([404, 'no-store']);
    await decide(admin, poll.id, 'undo');
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200]);
  });

  test('respond with 404 after the poll is deleted', async () => {
    const admin = await signUpAdmin(app);
    const { poll } = await reportedPoll(app, 1);
    await admin.delete(`/api/admin/polls/${poll.id}`);
    expect(await statusOf(poll.option1Image)).toBe(404);
  });

  test('respond with 404 even while the database is unavailable, and other images are served', async () => {
    const admin = await signUpAdmin(app);
    const { poll } = await reportedPoll(app, 1);
    const otherPoll = await openPoll(app, await app.signUp());
    await decide(admin, poll.id, 'remove');
    let isUnavailable = false;
    // So that each request reads the removed polls from the database.
    const listCache = createReadCache(0);
    const db = afterStatement(
      app.db,
      '"removed_at" is not null',
      async () => {
        if (isUnavailable) throw new Error('unavailable');
      },
      Number.POSITIVE_INFINITY,
    );
    const client = new TestClient(createApp({ ...app.deps, db, listCache }), app.deps.env.publicUrl);
    const statuses = async () => [
      (await client.get(poll.option1Image)).status,
      (await client.get(otherPoll.option1Image)).status,
    ];
    expect(await statuses()).toEqual([404, 200]);
    isUnavailable = true;
    expect(await statuses()).toEqual([404, 200]);
  });
});
