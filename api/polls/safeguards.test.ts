import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import type { Database } from '#api/db/client.ts';
import { sweepImages } from '#api/housekeeping/file-sweep.ts';
import { createKeyedMutex } from '#api/http/limits/keyed-mutex.ts';
import { settleOutcome, storeOutcome } from '#api/http/receipts.ts';
import { createConcurrencyLimiter } from '#api/images/concurrency-limiter.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { afterStatement, withLostCommitResponse } from '#api/testing/database-hooks.ts';
import { damagedImages, uploadsFolder, violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, openPoll, pointsOf, pollForm, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { keyHeader, statusAndCode, TestClient } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db, deps } = app;
const maker = await app.signUp({ username: 'maker' });
let account: TestUser;

beforeEach(async () => {
  account = await app.signUp();
});

/** The user's browser, connected to another process on the same data. */
function clientOfOtherProcess(otherDb: Database): TestClient {
  const client = new TestClient(
    createApp({ ...deps, db: otherDb, keyedMutex: createKeyedMutex() }),
    deps.env.publicUrl,
  );
  for (const [name, value] of account.cookies) client.cookies.set(name, value);
  return client;
}

describe('the receipt of one user does not affect another user', () => {
  test('whose vote under the same key is counted or refused independently', async () => {
    const [open, closed] = [await openPoll(app, maker), await openPoll(app, maker)];
    const [key, otherKey] = [randomUUID(), randomUUID()];
    const otherUser = await app.signUp();
    await postVote(otherUser, open.id, 1, key);
    await postVote(otherUser, closed.id, 1, otherKey);
    await db.sql`update polls set closes_at = now() - interval '1 second' where id = ${closed.id}`;

    expect((await postVote(account, open.id, 1, key)).status).toBe(200);
    expect(await statusAndCode(await postVote(account, closed.id, 1, otherKey))).toEqual([
      409,
      'poll_closed',
    ]);
    expect((await postVote(otherUser, closed.id, 1, otherKey)).status).toBe(200);
    expect([await pointsOf(account), await pointsOf(otherUser)]).toEqual([11, 12]);
    const votes = await db.sql`select from votes where user_id = ${account.user.id}`;
    expect(votes.count).toBe(1);
  });

  test('whose identical poll under the same key is created independently', async () => {
    const key = randomUUID();
    const otherUser = await app.signUp();
    const otherCreation = await (await postPoll(otherUser, {}, keyHeader(key))).json();
    const response = await postPoll(account, {}, keyHeader(key));
    expect(response.status).toBe(201);
    const ownCreation = await response.json();
    expect(ownCreation.poll.id).not.toBe(otherCreation.poll.id);
    expect(ownCreation.user).toMatchObject({ id: account.user.id, points: 0 });
  });
});

describe('of two requests with one key and different outcomes, the first stored outcome is returned', () => {
  test('when one request would refuse a vote that the other has counted', async () => {
    const poll = await openPoll(app, maker);
    const key = randomUUID();
    await db.sql`update polls set closes_at = now() - interval '1 second' where id = ${poll.id}`;
    // The slow request finds the poll closed. Before it stores that, the poll is opened again and the other request votes.
    const slow = clientOfOtherProcess(
      afterStatement(db, 'left join "votes"', async () => {
        await db.sql`update polls set closes_at = now() + interval '1 day' where id = ${poll.id}`;
        expect((await postVote(account, poll.id, 1, key)).status).toBe(200);
      }),
    );
    expect((await postVote(slow, poll.id, 1, key)).status).toBe(200);
    expect((await postVote(account, poll.id, 1, key)).status).toBe(200);
    expect(await pointsOf(account)).toBe(11);
  });

  test('when one request would create a poll that the other has refused', async () => {
    const key = randomUUID();
    const fields = { id: randomUUID() };
    // The slow request finds enough points. Before it stores its poll, the other request is refused for lack of points.
    const slow = clientOfOtherProcess(
      afterStatement(db, 'from "mutation_receipts"', async () => {
        await db.sql`update users set points = 0 where id = ${account.user.id}`;
        expect((await postPoll(account, fields, keyHeader(key))).status).toBe(402);
        await db.sql`update users set points = 10 where id = ${account.user.id}`;
      }),
    );
    expect(await statusAndCode(await postPoll(slow, fields, keyHeader(key)))).toEqual([
      402,
      'insufficient_points',
    ]);
    expect(await effectsOf(app, account)).toEqual({ polls: 0, debits: 0, points: 10, orphans: 0 });
  });

  test('for any outcome whose receipt exists', async () => {
    const entityId = randomUUID();
    const receipt = {
      userId: account.user.id,
      key: randomUUID(),
      route: 'vote',
      fingerprint: 'f',
      entityId,
      isDone: async () => false,
    } as const;
    const first = { status: 409, code: 'poll_closed', entityId, isReplay: false } as const;
    const second = { status: 200, code: null, entityId, isReplay: false } as const;
    expect(await storeOutcome(db, receipt, first)).toBe(true);
    expect(await storeOutcome(db, receipt, second)).toBe(false);
    expect(await settleOutcome(db, receipt, second)).toEqual({ ...first, isReplay: true });
  });
});

describe('the points of a vote', () => {
  async function stateOf(pollId: string) {
    const [row] = await db.sql<[{ votes: number; rows: number; entries: number; receipts: number }]>`
      select votes1 + votes2 as votes, (select count(*)::int from votes where poll_id = polls.id) as rows,
        (select count(*)::int from point_entries where source = 'vote:' || polls.id) as entries,
        (select count(*)::int from mutation_receipts where entity_id = polls.id and route = 'vote') as receipts
      from polls where id = ${pollId}`;
    return { ...row, points: await pointsOf(account) };
  }

  test('are not credited again for an existing ledger entry', async () => {
    const poll = await openPoll(app, maker);
    await postVote(account, poll.id, 1, randomUUID());
    await db.sql`delete from votes where poll_id = ${poll.id}`;
    await db.sql`update polls set votes1 = 0 where id = ${poll.id}`;
    expect((await postVote(account, poll.id, 2, randomUUID())).status).toBe(200);
    expect(await stateOf(poll.id)).toEqual({ votes: 1, rows: 1, entries: 1, receipts: 2, points: 11 });
    expect(await violatedInvariants(db)).toEqual([]);
  });

  test.each([
    ['the entry in the ledger', 'point_entries', "reason <> 'vote'"],
    ['the balance', 'users', 'points <> 11'],
    ['the tally', 'polls', 'votes1 = 0'],
    ['the receipt', 'mutation_receipts', "route <> 'vote'"],
  ])('are not stored if %s cannot be written', async (_case, table, rule) => {
    const poll = await openPoll(app, maker);
    const key = randomUUID();
    // Existing rows may violate the rule: `not valid` applies it only to new and changed ones.
    await db.sql.unsafe(`alter table ${table} add constraint fails_on_purpose check (${rule}) not valid`);
    try {
      expect((await postVote(account, poll.id, 1, key)).status).toBe(500);
    } finally {
      await db.sql.unsafe(`alter table ${table} drop constraint fails_on_purpose`);
    }
    expect(await stateOf(poll.id)).toEqual({ votes: 0, rows: 0, entries: 0, receipts: 0, points: 10 });
    expect((await postVote(account, poll.id, 1, key)).status).toBe(200);
    expect(await violatedInvariants(db)).toEqual([]);
  });
});

describe('a creation', () => {
  test.each([
    // The concurrent request follows the statement that looks for a receipt, or the one that looks for a poll with this id.
    ['key', 'from "mutation_receipts"', true],
    ['poll id', 'from (values (1)) one', false],
  ])(
    'is not refused for too few points if a concurrent request with its %s has paid for the poll',
    async (_case, statementPart, hasSameKey) => {
      const [id, key] = [randomUUID(), randomUUID()];
      const slow = clientOfOtherProcess(
        afterStatement(db, statementPart, async () => {
          const first = await postPoll(account, { id }, keyHeader(hasSameKey ? key : randomUUID()));
          expect(first.status).toBe(201);
        }),
      );
      const response = await postPoll(slow, { id }, keyHeader(key));
      expect(response.status).toBe(hasSameKey ? 201 : 200);
      expect(await response.json()).toMatchObject({ poll: { id }, user: { points: 0 } });
      expect(await effectsOf(app, account)).toEqual({ polls: 1, debits: 1, points: 0, orphans: 0 });
    },
  );

  test('whose commit succeeds without a response from the database keeps its images, and its retry succeeds', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const response = await postPoll(clientOfOtherProcess(withLostCommitResponse(db)), { id }, keyHeader(key));
    expect(await statusAndCode(response)).toEqual([503, 'unavailable']);
    expect(await effectsOf(app, account)).toEqual({ polls: 1, debits: 1, points: 0, orphans: 0 });
    await sweepImages(deps.images.storage, db);
    expect(await damagedImages(db, uploadsFolder(deps))).toEqual([]);
    expect((await postPoll(account, { id }, keyHeader(key))).status).toBe(201);
  });
});

describe('every response echoes the key', () => {
  test.each<[number, string | undefined, (key: string) => Promise<Response>]>([
    [200, undefined, async (key) => postVote(account, (await openPoll(app, maker)).id, 1, key)],
    [400, 'invalid_input', async (key) => postVote(account, (await openPoll(app, maker)).id, 3, key)],
    [400, 'invalid_key', async () => postVote(account, randomUUID(), 1, 'no-uuid')],
    [401, 'unauthenticated', (key) => postPoll(app.visitor(), {}, keyHeader(key))],
    [402, 'insufficient_points', (key) => postPoll(account, { responsesWanted: '11' }, keyHeader(key))],
    [
      403,
      'bad_origin',
      (key) =>
        account.post(
          `/api/questions/${randomUUID()}/vote`,
          {},
          { ...keyHeader(key), Origin: 'https://a.example' },
        ),
    ],
    [403, 'own_poll', async (key) => postVote(maker, (await openPoll(app, maker)).id, 1, key)],
    [404, 'not_found', (key) => postVote(account, randomUUID(), 1, key)],
    [409, 'actor_mismatch', (key) => postPoll(account, {}, { ...keyHeader(key), 'X-Expected-User': '15' })],
    [
      409,
      'id_taken',
      async (key) => postPoll(account, { id: (await openPoll(app, maker)).id }, keyHeader(key)),
    ],
    [
      413,
      'too_large',
      (key) => postPoll(account, { option1Image: new Uint8Array(5_242_881) }, keyHeader(key)),
    ],
    [415, 'unsupported_type', (key) => account.post('/api/questions', {}, keyHeader(key))],
    [
      422,
      'key_reused',
      async (key) => {
        await postVote(account, (await openPoll(app, maker)).id, 1, key);
        return postVote(account, (await openPoll(app, maker)).id, 1, key);
      },
    ],
    [
      429,
      'rate_limited',
      async (key) => {
        const { client, limits } = limitedClient(app, account);
        await useUp(limits.creationsAMinute, account.user.id);
        return postPoll(client, {}, keyHeader(key));
      },
    ],
    [
      500,
      'internal',
      async (key) => {
        await db.sql`alter table votes add constraint fails_on_purpose check (option > 2) not valid`;
        try {
          return await postVote(account, (await openPoll(app, maker)).id, 1, key);
        } finally {
          await db.sql`alter table votes drop constraint fails_on_purpose`;
        }
      },
    ],
    [
      503,
      'busy',
      async (key) => {
        const limiter = createConcurrencyLimiter({ concurrency: 0, queueMax: 0, retryAfterSeconds: 5 });
        const { client } = limitedClient(app, account, { imagePipeline: createImagePipeline(limiter) });
        return postPoll(client, {}, keyHeader(key));
      },
    ],
  ])('with status %i and code %s', async (status, code, send) => {
    const key = randomUUID();
    const response = await send(key);
    const sentKey = code === 'invalid_key' ? 'no-uuid' : key;
    expect(response.headers.get('Idempotency-Key')).toBe(sentKey);
    expect(await statusAndCode(response)).toEqual([status, code]);
  });

  test('of a creation and of an invalid form, unless the call has no key', async () => {
    const key = randomUUID();
    const { body, headers } = await pollForm();
    const created = await account.request('/api/questions', {
      method: 'POST',
      body,
      headers: { ...headers, ...keyHeader(key) },
    });
    expect([created.status, created.headers.get('Idempotency-Key')]).toEqual([201, key]);
    const truncated = await account.request('/api/questions', {
      method: 'POST',
      body: body.slice(0, 200),
      headers: { ...headers, ...keyHeader(key) },
    });
    expect([truncated.status, truncated.headers.get('Idempotency-Key')]).toEqual([400, key]);
    expect((await postVote(account, randomUUID(), 1)).headers.has('Idempotency-Key')).toBe(false);
  });
});
