import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/http.ts';
import { DATABASE_PREFIX, openDeviceDb, openUserDb, type UserDb } from '#sync/client/db.ts';
import { queuePoll } from '#sync/client/outbox/outbox.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { sampleDraft, samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { drainInBackground } from './background-drain.ts';

const USER_ID = 7_000;
/** The polls of the fetch requests, in order. */
let sentPolls: string[] = [];
/** The status of the responses by the question of the poll; 201 if there is none. */
let refusals: Record<string, number> = {};
let db: UserDb;

beforeEach(async () => {
  sentPolls = [];
  refusals = {};
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
      const status = refusals[question] ?? 201;
      // The proxy in front of the server refuses large uploads itself, so that its response lacks the key.
      if (status === 413) return new Response('too large', { status });
      const poll = samplePoll({ id: String(body.get('id')), question, isMine: true });
      const answer = { poll, user: sampleUser({ id: USER_ID, points: 90, rev: 2 }) };
      const key = headers[IDEMPOTENCY_KEY_HEADER] ?? '';
      return Response.json(answer, { status, headers: { [IDEMPOTENCY_KEY_HEADER]: key } });
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

test('a poll whose upload fails does not prevent the worker from sending the next poll', async () => {
  for (const question of ['Too large?', 'Sand or summit?']) await queuePollAbout(question);
  refusals = { 'Too large?': 413 };
  expect(await wake()).toBe('retry');
  expect(sentPolls.slice(0, 2)).toEqual(['Too large?', 'Sand or summit?']);
  expect(await db.ops.toArray()).toMatchObject([{ payload: { question: 'Too large?' } }]);
});
