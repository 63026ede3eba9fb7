import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { DATABASE_PREFIX, openDeviceDb, openUserDb, type UserDb } from '#sync/client/db.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { takeUnannounced } from '#sync/client/outbox/unannounced.ts';
import { BACKGROUND_DRAIN_TAG, IMAGE_CACHE } from '#sync/protocol/worker.ts';
import { sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainInBackground } from './background-drain.ts';

const USER_ID = 7_000;
/** The polls of the fetch requests, in order. */
let sentPolls: string[] = [];
/** The status of the responses by the question of the poll; 201 if there is none. */
let refusals: Record<string, number> = {};
/** Whether every request fails without a response. */
let isUnreachable = false;
let db: UserDb;

beforeEach(async () => {
  sentPolls = [];
  refusals = {};
  isUnreachable = false;
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  const device = openDeviceDb(DATABASE_PREFIX);
  await device.entries.put({ key: 'lastUserId', value: USER_ID });
  device.close();
  db = openUserDb(DATABASE_PREFIX, USER_ID);
  await db.user.put(sampleUser({ id: USER_ID, points: 100 }));
  vi.stubGlobal(
    'fetch',
    async (_path: string, { body, headers }: { body: FormData; headers: Record<string, string> }) => {
      const question = String(body.get('question'));
      sentPolls.push(question);
      if (isUnreachable) throw new TypeError('Failed to fetch');
      const status = refusals[question] ?? 201;
      // The proxy in front of the server refuses large uploads itself, so that its response lacks the key.
      if (status === 413) return new Response('too large', { status });
      const key = headers[IDEMPOTENCY_KEY_HEADER] ?? '';
      const init = { status, headers: { [IDEMPOTENCY_KEY_HEADER]: key } };
      if (status === 402)
        return Response.json(
          { message: 'too few points', code: 'insufficient_points', requestId: 'r1' },
          init,
        );
      const poll = samplePoll({ id: String(body.get('id')), question, isMine: true });
      const answer = { poll, user: sampleUser({ id: USER_ID, points: 90, rev: 2 }) };
      return Response.json(answer, init);
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  db.close();
});

async function queuePollAbout(question: string): Promise<void> {
  await queuePoll(db, USER_ID, sampleDraft({ question }), Date.now());
}

/** Wakes the worker while no page is open. Resolves with whether the browser would wake it again. */
async function wake(): Promise<'done' | 'retry'> {
  const work: Promise<unknown>[] = [];
  const worker = {
    clients: { matchAll: async () => [] },
    addEventListener(_type: string, listener: (event: object) => void) {
      const waitUntil = (promise: Promise<unknown>) => work.push(promise);
      listener({ tag: BACKGROUND_DRAIN_TAG, lastChance: false, waitUntil });
    },
  } as Partial<Record<keyof ServiceWorkerGlobalScope, unknown>> as ServiceWorkerGlobalScope;
  drainInBackground(worker);
  return Promise.all(work).then(
    () => 'done' as const,
    () => 'retry' as const,
  );
}

test('polls whose upload fails do not prevent the worker from sending the next poll', async () => {
  const questions = ['Too large?', 'Also too large?', 'Sand or summit?'];
  for (const question of questions) await queuePollAbout(question);
  refusals = { 'Too large?': 413, 'Also too large?': 413 };
  expect(await wake()).toBe('retry');
  expect(sentPolls.slice(0, 3)).toEqual(questions);
  expect(await db.ops.toArray()).toMatchObject([
    { payload: { question: 'Too large?' } },
    { payload: { question: 'Also too large?' } },
  ]);
});

test('the worker does not try each poll if the server cannot be reached, even if their uploads have failed before', async () => {
  for (const question of ['First?', 'Second?', 'Third?', 'Fourth?']) await queuePollAbout(question);
  await db.ops.toCollection().modify({ failedUploads: 1 });
  isUnreachable = true;
  expect(await wake()).toBe('retry');
  expect(sentPolls).toEqual(['First?', 'Second?']);
});

test('a refusal that only the worker has received is announced once by the next page', async () => {
  await queuePollAbout('Too expensive?');
  refusals = { 'Too expensive?': 402 };
  expect(await wake()).toBe('done');
  expect(await takeUnannounced(db)).toMatchObject([
    { type: 'rejected', op: { type: 'createPoll' }, error: { code: 'insufficient_points' } },
  ]);
  expect(await takeUnannounced(db)).toEqual([]);
  expect(await db.ops.toArray()).toMatchObject([{ state: 'rejected' }]);
});

test('the images of a poll that the worker has sent are cached under their URLs on the server', async () => {
  const cached = new Map<string, Response>();
  const put = async (path: string, response: Response) => cached.set(path, response);
  const open = vi.fn(async (_name: string) => ({ put }));
  vi.stubGlobal('caches', { open });
  await queuePollAbout('Sand or summit?');
  expect(await wake()).toBe('done');
  expect(open).toHaveBeenCalledExactlyOnceWith(IMAGE_CACHE);
  const { option1Image, option2Image } = samplePoll();
  expect([...cached.keys()]).toEqual([option1Image, option2Image]);
  expect(cached.get(option1Image)?.headers.get('Content-Type')).toBe('image/webp');
  expect(await cached.get(option2Image)?.bytes()).toEqual(new Uint8Array([2]));
});
