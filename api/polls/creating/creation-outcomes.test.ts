import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import { afterNextTransaction, afterStatement } from '#api/testing/database-hooks.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, givePoints, pollForm, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { keyHeader, statusAndCode } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db, deps } = app;
let account: TestUser;

beforeEach(async () => {
  account = await app.signUp();
  await givePoints(app, account.user.id, 20);
});

/** The user's browser, connected to a server that counts the images it has decoded. */
function countingClient() {
  let decoded = 0;
  const imagePipeline: typeof deps.imagePipeline = {
    ...deps.imagePipeline,
    process: (...image) => {
      decoded += 1;
      return deps.imagePipeline.process(...image);
    },
  };
  return { client: limitedClient(app, account, { imagePipeline }).client, decoded: () => decoded };
}

test('the images of concurrent requests with one key, in any letter case, are decoded once', async () => {
  const key = randomUUID();
  const { client, decoded } = countingClient();
  const keys = [key, key.toUpperCase(), key];
  const responses = await Promise.all(keys.map((sameKey) => postPoll(client, {}, keyHeader(sameKey))));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  // The two images of the poll.
  expect(decoded()).toBe(2);
});

const takenId = randomUUID();
const REFUSED = [
  ['too few points', { responsesWanted: '500' }, 402, 'insufficient_points'],
  ['an id that is taken', { id: takenId }, 409, 'id_taken'],
] as const;

beforeAll(async () => {
  await postPoll(await app.signUp(), { id: takenId });
});

test.each(REFUSED)(
  'the images of a poll refused for %s are not decoded',
  async (_reason, fields, status, code) => {
    const { client, decoded } = countingClient();
    expect(await statusAndCode(await postPoll(client, fields, keyHeader(randomUUID())))).toEqual([
      status,
      code,
    ]);
    expect(decoded()).toBe(0);
  },
);

test.each(REFUSED)(
  'a poll refused for %s counts against the limit',
  async (_reason, fields, status, code) => {
    const { client, limits } = limitedClient(app, account);
    await useUp(limits.creationsAMinute, account.user.id, { callsLeft: 1 });
    expect(await statusAndCode(await postPoll(client, fields, keyHeader(randomUUID())))).toEqual([
      status,
      code,
    ]);
    expect(await statusAndCode(await postPoll(client, {}, keyHeader(randomUUID())))).toEqual([
      429,
      'rate_limited',
    ]);
  },
);

test('the images of a poll wait in the queue of their client’s network', async () => {
  const { process } = deps.imagePipeline;
  const processImage = vi.fn(process);
  const { client } = limitedClient(app, account, {
    imagePipeline: { ...deps.imagePipeline, process: processImage },
  });
  expect((await postPoll(client)).status).toBe(201);
  expect(processImage.mock.calls.map(([, caller]) => caller?.client)).toEqual(['127.0.0.1', '127.0.0.1']);
});

test('a client that disconnects during decoding creates nothing and can repeat the request', async () => {
  const connection = new AbortController();
  const imagePipeline: typeof deps.imagePipeline = {
    ...deps.imagePipeline,
    process: async (_path, caller) => {
      connection.abort();
      caller?.signal?.throwIfAborted();
      throw new Error('The signal was not aborted when the client disconnected');
    },
  };
  const key = randomUUID();
  const form = await pollForm();
  const response = await limitedClient(app, account, { imagePipeline }).client.request('/api/questions', {
    method: 'POST',
    body: form.body,
    headers: { ...form.headers, ...keyHeader(key) },
    signal: connection.signal,
  });
  expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_input']);
  expect(await effectsOf(app, account)).toEqual({ polls: 0, debits: 0, points: 30, orphans: 0 });
  expect((await postPoll(account, {}, keyHeader(key))).status).toBe(201);
});

test('a creation that fails because the image storage is unavailable succeeds when it is repeated', async () => {
  const key = randomUUID();
  const images: typeof deps.images = {
    ...deps.images,
    stage: async (...args) => ({
      ...(await deps.images.stage(...args)),
      publish: () => Promise.reject(new AppError('unavailable', { retryAfterSeconds: 7 })),
    }),
  };
  const response = await postPoll(limitedClient(app, account, { images }).client, {}, keyHeader(key));
  expect(await statusAndCode(response)).toEqual([503, 'unavailable']);
  expect(await effectsOf(app, account)).toEqual({ polls: 0, debits: 0, points: 30, orphans: 0 });
  expect((await postPoll(account, {}, keyHeader(key))).status).toBe(201);
  expect(response.headers.get('Retry-After')).toBe('7');
});

test('a creation gets in_flight if a receipt conflicts with its own and is deleted before it can be read', async () => {
  const [id, key] = [randomUUID(), randomUUID()];
  const dbWithConflict = afterStatement(db, 'from "mutation_receipts"', async () => {
    expect((await postPoll(account, { id: randomUUID() }, keyHeader(key))).status).toBe(201);
  });
  const dbWithoutReceipt = afterNextTransaction(
    dbWithConflict,
    () => db.sql`delete from mutation_receipts where user_id = ${account.user.id}`,
  );
  // A mutex of its own, as in another process. With a shared one, this request and the one that is sent during it would wait for
  // each other.
  const { client } = limitedClient(app, account, { db: dbWithoutReceipt, keyedMutex: createKeyedMutex() });
  const response = await postPoll(client, { id }, keyHeader(key));
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect([response.status, (await response.json()).code]).toEqual([409, 'in_flight']);
  expect(await violatedInvariants(db)).toEqual([]);
  expect(await effectsOf(app, account)).toEqual({ polls: 1, debits: 1, points: 20, orphans: 0 });
  expect((await postPoll(account, { id }, keyHeader(key))).status).toBe(201);
});

test('a repetition with other content, but the same key and poll id, gets the poll and does not count against the limit', async () => {
  const [id, key] = [randomUUID(), randomUUID()];
  await postPoll(account, { id }, keyHeader(key));
  const { client, limits } = limitedClient(app, account);
  await useUp(limits.creationsAMinute, account.user.id, { callsLeft: 1 });
  for (let count = 1; count <= 3; count += 1) {
    expect((await postPoll(client, { id, question: 'Else?' }, keyHeader(key))).status).toBe(200);
  }
  expect((await postPoll(client, {}, keyHeader(randomUUID()))).status).toBe(201);
});

test('a new poll is in the feed at once, even if the feed is cached', async () => {
  const newestId = async () => (await (await account.get('/api/questions?limit=1')).json()).data[0]?.id;
  const idBefore = await newestId();
  const { poll } = await (await postPoll(account)).json();
  expect(await newestId()).toBe(poll.id);
  expect(idBefore).not.toBe(poll.id);
});
