import { expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import type { ImagePipeline } from '#api/images/image-pipeline.ts';
import { givePoints, makeImage, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient } from '#api/testing/test-app.ts';

/** How many images that cannot be decoded a user may send in an hour. */
const FAILED_DECODES_MAX = 20;

const app = await createTestApp();
const broken = (await makeImage('#00f')).subarray(0, 60);

/** A user with one allowed failure left, and a pipeline that throws `error`, if given, instead of decoding. */
async function userWithOneFailureLeft(error?: AppError) {
  const account = await app.signUp();
  const imagePipeline: ImagePipeline = { ...app.deps.imagePipeline, process: () => Promise.reject(error) };
  const { client, limits } = limitedClient(app, account, error === undefined ? {} : { imagePipeline });
  for (let count = 1; count < FAILED_DECODES_MAX; count += 1)
    await limits.failedDecodes.take(account.user.id);
  await givePoints(app, account.user.id, 50);
  /** Whether the last allowed failure was used up; if not, this call uses it up. */
  const isLimited = async () => !(await limits.failedDecodes.tryTake(account.user.id));
  return { client, isLimited, account };
}

test('after too many images that cannot be decoded, further images are rejected without decoding', async () => {
  const { client, account } = await userWithOneFailureLeft();
  const processImage = vi.spyOn(app.deps.imagePipeline, 'process');
  onTestFinished(() => processImage.mockRestore());
  expect((await postPoll(client, { option2Image: broken })).status).toBe(422);
  processImage.mockClear();
  const limited = await postPoll(client, {});
  expect(limited.status).toBe(429);
  expect(await limited.json()).toMatchObject({ code: 'rate_limited' });
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(processImage).not.toHaveBeenCalled();
  expect((await app.db.sql`select from polls where user_id = ${account.user.id}`).count).toBe(0);
});

test('decoded images and images of an unsupported type do not count', async () => {
  const { client, isLimited } = await userWithOneFailureLeft();
  expect((await postPoll(client, {})).status).toBe(201);
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect((await postPoll(client, { option1Image: svg })).status).toBe(415);
  expect(await isLimited()).toBe(false);
});

const timeout = new AppError('busy', { retryAfterSeconds: 5, cause: new Error('timeout: 10% complete') });

test.each([
  ['a timeout counts', timeout, 503, true],
  ['a queue that is full does not count', new AppError('busy', { retryAfterSeconds: 5 }), 503, false],
  ['an image that is too large does not count', new AppError('too_large'), 413, false],
] as const)('%s', async (_case, error, status, isCounted) => {
  const { client, isLimited } = await userWithOneFailureLeft(error);
  expect((await postPoll(client, {})).status).toBe(status);
  expect(await isLimited()).toBe(isCounted);
});

test('a failed decode counts even if the client has disconnected in the meantime', async () => {
  const failedAfterDisconnect = new AppError('invalid_input', { cause: new AppError('undecodable') });
  const { client, isLimited } = await userWithOneFailureLeft(failedAfterDisconnect);
  await postPoll(client, {});
  expect(await isLimited()).toBe(true);
});
