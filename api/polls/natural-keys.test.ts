import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { sweepImages } from '#api/housekeeping/file-sweep.ts';
import { createConcurrencyLimiter } from '#api/images/concurrency-limiter.ts';
import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import {
  effectsOf,
  givePoints,
  makeImage,
  openPoll,
  pointsOf,
  postPoll,
  postVote,
} from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { keyHeader, statusAndCode } from '#api/testing/test-client.ts';

const app = await createTestApp();
const { db } = app;
const { images } = app.deps;
const admin = await signUpAdmin(app);
const green = await makeImage('#0c0');
/** The ids of polls that tests have deleted. */
const deletedPolls: string[] = [];
let account: TestUser;

beforeEach(async () => {
  account = await app.signUp();
  await givePoints(app, account.user.id, 20);
});

async function receiptsOf({ user: { id } }: TestUser) {
  return [
    ...(await db.sql`
      select key, route, fingerprint, status, code, entity_id from mutation_receipts where user_id = ${id}`),
  ];
}

/** Deletes a poll as an administrator does, its files, and all receipts of `user`. */
async function deletePoll(id: string, { user }: TestUser): Promise<void> {
  deletedPolls.push(id);
  expect((await admin.delete(`/api/admin/polls/${id}`)).status).toBe(200);
  await sweepImages(images.storage, db);
  await db.sql`delete from mutation_receipts where user_id = ${user.id}`;
}

async function checkedEffects() {
  expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  return effectsOf(app, account);
}

describe('a key sent with other content', () => {
  test('returns the poll that was created with it, and its receipt is unchanged', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const firstBody = await (await postPoll(account, { id }, keyHeader(key))).json();
    const before = await receiptsOf(account);
    for (const fields of [
      { id, question: 'As a newer app puts it?' },
      { id, option1Image: green },
    ]) {
      const response = await postPoll(account, fields, keyHeader(key));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(firstBody);
    }
    expect(await receiptsOf(account)).toEqual(before);
    expect((await postPoll(account, { id }, keyHeader(key))).status).toBe(201);
    expect(await checkedEffects()).toEqual({ polls: 1, debits: 1, points: 20, orphans: 0 });
  });

  test('gets key_reused for another poll or another call', async () => {
    const [id, otherId, key] = [randomUUID(), randomUUID(), randomUUID()];
    const poll = await openPoll(app, admin);
    await postPoll(account, { id }, keyHeader(key));
    await postPoll(account, { id: otherId }, keyHeader(randomUUID()));
    for (const fields of [{ id: randomUUID() }, { id: otherId }, {}]) {
      expect(await statusAndCode(await postPoll(account, fields, keyHeader(key)))).toEqual([
        422,
        'key_reused',
      ]);
    }
    expect(await statusAndCode(await postVote(account, poll.id, 1, key))).toEqual([422, 'key_reused']);
    const voteKey = randomUUID();
    await postVote(account, poll.id, 1, voteKey);
    expect(await statusAndCode(await postPoll(account, { id }, keyHeader(voteKey)))).toEqual([
      422,
      'key_reused',
    ]);
    const refusedVoteKey = randomUUID();
    expect(await statusAndCode(await postVote(account, id, 1, refusedVoteKey))).toEqual([403, 'own_poll']);
    expect(await statusAndCode(await postPoll(account, { id }, keyHeader(refusedVoteKey)))).toEqual([
      422,
      'key_reused',
    ]);
    expect(await checkedEffects()).toMatchObject({ polls: 2, debits: 2 });
  });

  test('gets key_reused when the first request was refused', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    expect((await postPoll(account, { id, responsesWanted: '31' }, keyHeader(key))).status).toBe(402);
    expect(await statusAndCode(await postPoll(account, { id }, keyHeader(key)))).toEqual([422, 'key_reused']);
    expect(await checkedEffects()).toMatchObject({ polls: 0, debits: 0 });
  });

  test('concurrently, in one process or two, creates and charges one poll, and every request succeeds', async () => {
    const clientOfOtherProcess = (
      await createTestApp({ db, env: { dataDir: app.deps.env.dataDir } })
    ).visitor();
    for (const [name, value] of account.cookies) clientOfOtherProcess.cookies.set(name, value);
    await givePoints(app, account.user.id, 50);
    for (let round = 1; round <= 5; round += 1) {
      const [id, key] = [randomUUID(), randomUUID()];
      const responses = await Promise.all(
        [account, clientOfOtherProcess, account, clientOfOtherProcess].map((client, index) =>
          postPoll(client, { id, question: `Version ${index}?` }, keyHeader(key)),
        ),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
      const bodies = await Promise.all(responses.map((response) => response.json()));
      expect(new Set(bodies.map(({ poll }) => poll.question)).size).toBe(1);
      expect(await checkedEffects()).toMatchObject({ polls: round, debits: round, orphans: 0 });
    }
  });

  test('succeeds for an existing vote for the same option, and gets key_reused for the other option', async () => {
    const poll = await openPoll(app, admin);
    const key = randomUUID();
    const firstBody = await (await postVote(account, poll.id, 1, key)).json();
    // As if an earlier version of the server had written it.
    await db.sql`update mutation_receipts set fingerprint = 'of an earlier version' where key = ${key}`;
    const before = await receiptsOf(account);
    const repeated = await postVote(account, poll.id, 1, key);
    expect(repeated.status).toBe(200);
    expect(await repeated.json()).toEqual(firstBody);
    expect(await statusAndCode(await postVote(account, poll.id, 2, key))).toEqual([422, 'key_reused']);
    expect(await receiptsOf(account)).toEqual(before);
  });
});

describe('after the poll and its receipt are deleted', () => {
  test('a counted vote still succeeds with any key, and earns no more points', async () => {
    const poll = await openPoll(app, admin);
    const key = randomUUID();
    await postVote(account, poll.id, 1, key);
    await deletePoll(poll.id, account);
    const { client, limits } = limitedClient(app, account);
    await useUp(limits.votes, account.user.id);
    for (const sender of [account, client]) {
      for (const repeatedKey of [key, randomUUID(), undefined]) {
        const response = await postVote(sender, poll.id, 1, repeatedKey);
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ poll: null, user: { points: 31 } });
      }
    }
    expect(await pointsOf(account)).toBe(31);
    expect(await checkedEffects()).toMatchObject({ points: 31 });
  });

  test('a vote that was never counted gets not_found', async () => {
    const poll = await openPoll(app, admin);
    await postVote(await app.signUp(), poll.id, 1);
    await deletePoll(poll.id, account);
    // In capitals, since ids are compared with the text of the ledger, which has none.
    expect(await statusAndCode(await postVote(account, poll.id.toUpperCase(), 1))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('a paid poll still succeeds, and is neither created nor paid again', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    await postPoll(account, { id }, keyHeader(key));
    await deletePoll(id, account);
    const { client, limits } = limitedClient(app, account);
    await useUp(limits.creationsAMinute, account.user.id);
    for (const sender of [account, client]) {
      for (const headers of [keyHeader(key), keyHeader(randomUUID()), {}]) {
        const response = await postPoll(sender, { id, question: 'Again?' }, headers);
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ poll: null, user: { points: 20 } });
      }
    }
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 1, points: 20, orphans: 0 });
  });

  test('a paid poll succeeds even if its maker has too few points now', async () => {
    const id = randomUUID();
    await postPoll(account, { id, responsesWanted: '30' });
    await deletePoll(id, account);
    expect((await postPoll(account, { id, responsesWanted: '30' })).status).toBe(200);
    expect(await checkedEffects()).toMatchObject({ polls: 0, debits: 1, points: 0 });
  });

  test('a poll that is created and deleted during the request succeeds', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 1, queueMax: 1, retryAfterSeconds: 5 });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: markWaiting } = Promise.withResolvers<void>();
    const blockingWork = limiter.run(() => mayEnd);
    const pipeline = createImagePipeline(limiter);
    const imagePipeline: typeof pipeline = {
      ...pipeline,
      process: (...image) => {
        markWaiting();
        return pipeline.process(...image);
      },
    };
    const { client } = limitedClient(app, account, { imagePipeline });
    const id = randomUUID();
    const slow = postPoll(client, { id }, keyHeader(randomUUID()));
    await waiting;
    expect((await postPoll(account, { id })).status).toBe(201);
    await deletePoll(id, account);
    end();
    await blockingWork;
    const response = await slow;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ poll: null, user: { points: 20 } });
    expect(await checkedEffects()).toEqual({ polls: 0, debits: 1, points: 20, orphans: 0 });
  });
});
