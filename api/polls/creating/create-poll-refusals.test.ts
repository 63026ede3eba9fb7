import { randomUUID } from 'node:crypto';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { createConcurrencyLimiter } from '#api/images/concurrency-limiter.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, makeImage, type PollFields, pollForm, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { keyHeader, slowPost, statusCodeAndMessage, TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
const green = await makeImage('#0c0');
let maker: TestUser;

const create = (fields: PollFields = {}, key?: string, client: TestClient = maker) =>
  postPoll(client, fields, keyHeader(key));

async function checkedEffects() {
  expect(await violatedInvariants(app.db)).toEqual([]);
  return effectsOf(app, maker);
}

beforeEach(async () => {
  maker = await app.signUp();
});

describe('a poll is refused and leaves no file, row or debit,', () => {
  const questionMissing = 'Please enter a question for your poll';
  const imagesMissing = 'Please upload both images for your poll';
  const cases: [string, PollFields, number, string, string | RegExp][] = [
    ['without a question', { question: ' ' }, 400, 'invalid_input', questionMissing],
    ['without the field question', { question: null }, 400, 'invalid_input', questionMissing],
    ['with a long question', { question: 'q'.repeat(201) }, 400, 'invalid_input', /at most 200/],
    ['with a long caption', { option1Caption: 'c'.repeat(81) }, 400, 'invalid_input', /at most 80/],
    ['with a NUL', { question: 'a\0b' }, 400, 'invalid_input', /cannot be stored/],
    ['without the first image', { option1Image: null }, 400, 'invalid_input', imagesMissing],
    ['without the second image', { option2Image: null }, 400, 'invalid_input', imagesMissing],
    ['open for no day', { duration: '0' }, 400, 'invalid_input', /1 to 30 days/],
    ['open for half a day', { duration: '0.5' }, 400, 'invalid_input', /1 to 30 days/],
    ['open for 31 days', { duration: '31' }, 400, 'invalid_input', /1 to 30 days/],
    ['for 9 responses', { responsesWanted: '9' }, 400, 'invalid_input', /at least 10/],
    [
      'for a number of responses in exponent notation',
      { responsesWanted: '1e9' },
      400,
      'invalid_input',
      /at least 10/,
    ],
    ['with an invalid id', { id: '1' }, 400, 'invalid_input', /./],
    ['that costs too much', { responsesWanted: '11' }, 402, 'insufficient_points', /need 11 points/],
    ['with an empty image', { option2Image: new Uint8Array() }, 422, 'undecodable', /./],
    ['with a truncated image', { option2Image: green.subarray(0, 60) }, 422, 'undecodable', /./],
    ['with an SVG', { option1Image: new Uint8Array(Buffer.from('<svg/>')) }, 415, 'unsupported_type', /JPG/],
    ['with an image over 5 MiB', { option1Image: new Uint8Array(5_242_881) }, 413, 'too_large', /5 MB/],
  ];
  test.each(cases)('%s', async (_case, fields, status, code, message) => {
    const key = randomUUID();
    const response = await create(fields, key);
    expect(response.headers.get('Idempotency-Key')).toBe(key);
    expect(await statusCodeAndMessage(response)).toEqual([status, code, expect.stringMatching(message)]);
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });

  test('and the response names each invalid field', async () => {
    const oneInvalid = await create({ option2Image: green.subarray(0, 60), duration: '3' });
    expect((await oneInvalid.json()).issues).toMatchObject([{ path: 'option2Image' }]);
    const twoInvalid = await create({ question: '', duration: '99' });
    expect((await twoInvalid.json()).issues).toMatchObject([{ path: 'question' }, { path: 'duration' }]);
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });

  test('with the id of another user’s poll', async () => {
    const id = randomUUID();
    await create({ id }, undefined, await app.signUp());
    for (const key of [undefined, randomUUID()]) {
      expect((await statusCodeAndMessage(await create({ id }, key))).slice(0, 2)).toEqual([409, 'id_taken']);
    }
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });

  test('without a session, the expected user, a valid key or a multipart form', async () => {
    const key = randomUUID();
    const visitorResponse = await postPoll(app.visitor(), {}, keyHeader(key));
    expect([visitorResponse.status, visitorResponse.headers.get('Idempotency-Key')]).toEqual([401, key]);
    const mismatch = await postPoll(maker, {}, { ...keyHeader(key), 'X-Expected-User': '15' });
    expect((await statusCodeAndMessage(mismatch)).slice(0, 2)).toEqual([409, 'actor_mismatch']);
    expect((await statusCodeAndMessage(await create({}, 'no-uuid'))).slice(0, 2)).toEqual([
      400,
      'invalid_key',
    ]);
    expect((await maker.post('/api/questions', { question: 'JSON?' })).status).toBe(415);
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });

  test.each([
    [
      'its images are uploaded',
      async (suspend: () => Promise<unknown>) => {
        const { body, headers } = await pollForm();
        const allHeaders = { ...headers, ...keyHeader(randomUUID()) };
        return maker.request('/api/questions', { ...slowPost(body, suspend), headers: allHeaders });
      },
    ],
    [
      'its images are decoded',
      (suspend: () => Promise<unknown>) => {
        const { imagePipeline } = app.deps;
        const process: typeof imagePipeline.process = async (...input) => {
          await suspend();
          return imagePipeline.process(...input);
        };
        const client = clientOf({ imagePipeline: { ...imagePipeline, process } });
        return create({}, randomUUID(), client);
      },
    ],
  ])('when its maker is suspended while %s', async (_case, createMeanwhile) => {
    const response = await createMeanwhile(
      () => app.db.sql`update users set is_suspended = true where id = ${maker.user.id}`,
    );
    expect([response.status, (await response.json()).code]).toEqual([401, 'unauthenticated']);
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
    const receipts = await app.db.sql`select from mutation_receipts where user_id = ${maker.user.id}`;
    expect(receipts.count).toBe(0);
  });

  test('when its form ends early, as after a disconnect of the client', async () => {
    const truncatedForm = Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="option1Image"; filename="a"\r\n\r\nabc',
    );
    // Several at once, as uploads are parsed concurrently.
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        maker.request('/api/questions', {
          method: 'POST',
          body: truncatedForm,
          headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
        }),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]));
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });
});

/** The maker's browser, connected to a server in which `parts` are replaced. */
function clientOf(parts: Partial<typeof app.deps>): TestClient {
  const client = new TestClient(createApp({ ...app.deps, ...parts }), app.deps.env.publicUrl);
  for (const [name, value] of maker.cookies) client.cookies.set(name, value);
  return client;
}

describe('a poll can be sent again with the same key', () => {
  test('after the server was too busy to decode its images', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 0, retryAfterSeconds: 5 });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const blockingWork = limiter.run(() => mayEnd);
    const client = clientOf({ imagePipeline: createImagePipeline(limiter) });
    const headers = keyHeader(randomUUID());
    const response = await postPoll(client, {}, headers);
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
    expect((await response.json()).code).toBe('busy');
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
    end();
    await blockingWork;
    expect((await postPoll(client, {}, headers)).status).toBe(201);
  });

  test('after the server could not write its images', async () => {
    const { incomingFolder } = app.deps.images;
    const headers = keyHeader(randomUUID());
    // Without this folder, the server cannot store the files that it receives.
    await rmdir(incomingFolder);
    const response = await postPoll(maker, {}, headers);
    await mkdir(incomingFolder);
    expect([response.status, (await response.json()).code]).toEqual([500, 'internal']);
    // Without this folder, the server cannot publish the images.
    const movedFolder = `${uploadsFolder(app.deps)}-aside`;
    await rename(uploadsFolder(app.deps), movedFolder);
    const publishing = await postPoll(maker, {}, headers);
    await rename(movedFolder, uploadsFolder(app.deps));
    expect(publishing.status).toBe(500);
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
    expect((await postPoll(maker, {}, headers)).status).toBe(201);
  });
});
