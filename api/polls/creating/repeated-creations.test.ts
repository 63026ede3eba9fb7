import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createConcurrencyLimiter } from '#api/images/concurrency-limiter.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { effectsOf, givePoints, pollForm, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { keyHeader, slowPost, statusAndCode, type TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
let maker: TestUser;

beforeEach(async () => {
  maker = await app.signUp();
  await givePoints(app, maker.user.id, 40);
});

const RATE_LIMITED = [429, 'rate_limited'];

/**
 * Sends a form with this poll id and two images of 4 MB. Returns the response and how many bytes of the form the server has read.
 */
async function postLarge(
  client: TestClient,
  id: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response; readBytes: number }> {
  const image = new Uint8Array(4_000_000);
  const form = await pollForm({ id, option1Image: image, option2Image: image });
  const bytes = new Uint8Array(form.body);
  let readBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = bytes.slice(readBytes, readBytes + 65_536);
      readBytes += chunk.length;
      if (chunk.length === 0) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const init = { method: 'POST', body, duplex: 'half', headers: { ...form.headers, ...headers } };
  return { response: await client.request('/api/questions', init), readBytes };
}

test.each(['creationsAMinute', 'creationsAnHour'] as const)(
  'beyond the limit %s a repeated creation gets its poll, by its key and by its id',
  async (name) => {
    const [id, key] = [randomUUID(), randomUUID()];
    const firstBody = await (await postPoll(maker, { id }, keyHeader(key))).json();
    const keyWithoutId = randomUUID();
    const secondBody = await (await postPoll(maker, {}, keyHeader(keyWithoutId))).json();

    const { client, limits } = limitedClient(app, maker);
    await useUp(limits[name], maker.user.id);
    for (const [fields, headers, status] of [
      [{ id }, keyHeader(key), 201],
      [{ id }, keyHeader(randomUUID()), 200],
      [{ id }, {}, 200],
    ] as const) {
      const response = await postPoll(client, fields, headers);
      expect(response.status).toBe(status);
      expect((await response.json()).poll).toEqual(firstBody.poll);
    }
    const repeated = await postPoll(client, {}, keyHeader(keyWithoutId));
    expect([repeated.status, (await repeated.json()).poll.id]).toEqual([201, secondBody.poll.id]);
    expect(await statusAndCode(await postPoll(client, {}, keyHeader(randomUUID())))).toEqual(RATE_LIMITED);
    expect(await effectsOf(app, maker)).toEqual({ polls: 2, debits: 2, points: 30, orphans: 0 });
  },
);

test('beyond the limits a stored refusal is returned unchanged', async () => {
  const key = randomUUID();
  const fields = { responsesWanted: '500' };
  expect(await statusAndCode(await postPoll(maker, fields, keyHeader(key)))).toEqual([
    402,
    'insufficient_points',
  ]);
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAMinute, maker.user.id);
  // More often than `reusedKeys` allows for other uploads whose key has a receipt.
  for (let count = 1; count <= 25; count += 1) {
    expect(await statusAndCode(await postPoll(client, fields, keyHeader(key)))).toEqual([
      402,
      'insufficient_points',
    ]);
  }
});

test('beyond the limits the images of a new poll are not read', async () => {
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAnHour, maker.user.id);
  const { response, readBytes } = await postLarge(client, randomUUID());
  expect(await statusAndCode(response)).toEqual(RATE_LIMITED);
  expect(readBytes).toBeLessThan(1_000_000);
  expect(await effectsOf(app, maker)).toEqual({ polls: 0, debits: 0, points: 50, orphans: 0 });
});

test('beyond the limits the key of another poll gets key_reused, up to a separate limit', async () => {
  const key = randomUUID();
  await postPoll(maker, { id: randomUUID() }, keyHeader(key));
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAnHour, maker.user.id);
  for (let count = 1; count <= 20; count += 1) {
    const response = await postPoll(client, { id: randomUUID() }, keyHeader(key));
    expect(await statusAndCode(response)).toEqual([422, 'key_reused']);
  }
  const { response, readBytes } = await postLarge(client, randomUUID(), keyHeader(key));
  expect(await statusAndCode(response)).toEqual(RATE_LIMITED);
  expect(readBytes).toBeLessThan(1_000_000);
  expect(await effectsOf(app, maker)).toMatchObject({ polls: 1, debits: 1, orphans: 0 });
});

test('beyond the limits nothing is created for a key whose receipt disappears during the upload', async () => {
  const [id, key] = [randomUUID(), randomUUID()];
  await postPoll(maker, { id, responsesWanted: '500' }, keyHeader(key));
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAMinute, maker.user.id);
  const form = await pollForm({ id });
  const deleteReceipts = () =>
    app.db.sql`delete from mutation_receipts where user_id = ${maker.user.id}`.execute();
  const response = await client.request('/api/questions', {
    ...slowPost(form.body, deleteReceipts),
    headers: { ...form.headers, ...keyHeader(key) },
  });
  expect(await statusAndCode(response)).toEqual(RATE_LIMITED);
  expect(await effectsOf(app, maker)).toEqual({ polls: 0, debits: 0, points: 50, orphans: 0 });
});

test('repetitions do not count against the limits', async () => {
  const [id, key] = [randomUUID(), randomUUID()];
  await postPoll(maker, { id }, keyHeader(key));
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAMinute, maker.user.id, { callsLeft: 1 });
  await useUp(limits.creationsAnHour, maker.user.id, { callsLeft: 1 });
  for (let count = 1; count <= 3; count += 1) {
    expect((await postPoll(client, { id }, keyHeader(key))).status).toBe(201);
    expect((await postPoll(client, { id }, keyHeader(randomUUID()))).status).toBe(200);
  }
  expect((await postPoll(client, {}, keyHeader(randomUUID()))).status).toBe(201);
  expect(await statusAndCode(await postPoll(client, {}, keyHeader(randomUUID())))).toEqual(RATE_LIMITED);
});

test('a creation that gets busy does not count against the limits', async () => {
  const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 0, retryAfterSeconds: 5 });
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const blockingWork = limiter.run(() => mayEnd);
  const { client, limits } = limitedClient(app, maker, { imagePipeline: createImagePipeline(limiter) });
  await useUp(limits.creationsAMinute, maker.user.id, { callsLeft: 1 });
  await useUp(limits.creationsAnHour, maker.user.id, { callsLeft: 1 });
  const headers = keyHeader(randomUUID());
  for (let count = 1; count <= 3; count += 1) {
    expect(await statusAndCode(await postPoll(client, {}, headers))).toEqual([503, 'busy']);
  }
  end();
  await blockingWork;
  expect((await postPoll(client, {}, headers)).status).toBe(201);
  expect(await statusAndCode(await postPoll(client, {}, keyHeader(randomUUID())))).toEqual(RATE_LIMITED);
});

test('a creation with invalid fields counts against the limit per minute', async () => {
  const { client, limits } = limitedClient(app, maker);
  await useUp(limits.creationsAMinute, maker.user.id, { callsLeft: 1 });
  expect(await statusAndCode(await postPoll(client, { question: '' }))).toEqual([400, 'invalid_input']);
  expect(await statusAndCode(await postPoll(client))).toEqual(RATE_LIMITED);
});
