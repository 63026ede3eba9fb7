import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { sweepImages } from '#api/housekeeping/file-sweep.ts';
import { violatedInvariants } from '#api/testing/invariants.ts';
import { effectsOf, givePoints, makeImage, type PollFields, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { keyHeader, statusCodeAndMessage } from '#api/testing/test-client.ts';
import type { MutationResponse } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const { images } = app.deps;
const green = await makeImage('#0c0');
let maker: TestUser;

const create = (fields: PollFields = {}, key?: string, client = maker) =>
  postPoll(client, fields, keyHeader(key));

/** The ids of polls that tests have deleted. */
const deletedPolls: string[] = [];

async function checkedEffects() {
  expect(await violatedInvariants(db, deletedPolls)).toEqual([]);
  return effectsOf(app, maker);
}

beforeEach(async () => {
  maker = await app.signUp();
});

describe('a poll', () => {
  test('is created with all its fields, and its maker is charged', async () => {
    const id = randomUUID();
    const key = randomUUID();
    await givePoints(app, maker.user.id, 10);
    const fields = { id, question: '  Tea or coffee?  ', option1Caption: 'Tea', option2Caption: '   ' };
    const response = await create({ ...fields, duration: '30', responsesWanted: '15' }, key);
    expect(response.status).toBe(201);
    expect(response.headers.get('Idempotency-Key')).toBe(key);
    const { poll, user }: MutationResponse = await response.json();
    expect(poll).toMatchObject({
      id,
      question: 'Tea or coffee?',
      option1Caption: 'Tea',
      option2Caption: null,
      option1Size: { width: 12, height: 8 },
      user: { username: maker.user.username },
      duration: 30,
      responsesWanted: 15,
      status: 'active',
      isMine: true,
      isSample: false,
      votes: [],
      results: { option1: 0, option2: 0 },
      rev: 1,
    });
    const openMs = Date.parse(poll?.closesAt ?? '') - Date.parse(poll?.createdAt ?? '');
    expect(openMs).toBe(30 * 86_400_000);
    expect(user).toMatchObject({ id: maker.user.id, points: 5 });
    expect(await checkedEffects()).toEqual({ polls: 1, debits: 1, points: 5, orphans: 0 });
  });

  test('with only the required fields is open for 7 days, wants 10 responses and gets an id', async () => {
    const { poll }: MutationResponse = await (await create()).json();
    expect(poll).toMatchObject({ duration: 7, responsesWanted: 10, option1Caption: null });
    expect(poll?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  test('ignores fields that clients cannot set', async () => {
    const extra = { isSample: 'true', votesCount: '9', active: 'false', userId: '1', rev: '7' };
    const { poll }: MutationResponse = await (await create(extra as PollFields)).json();
    expect(poll).toMatchObject({ isSample: false, votesCount: 0, active: true, isMine: true, rev: 1 });
  });

  test('that its maker sends again is returned unchanged, whatever the key', async () => {
    const id = randomUUID();
    const first: MutationResponse = await (await create({ id })).json();
    for (const key of [undefined, randomUUID()]) {
      const repeated = await create({ id, question: 'Another question?' }, key);
      expect(repeated.status).toBe(200);
      expect(await repeated.json()).toEqual(first);
    }
    expect(await checkedEffects()).toEqual({ polls: 1, debits: 1, points: 0, orphans: 0 });
  });
});

describe('a key', () => {
  test('sent again gets the stored status with the current state of poll and user', async () => {
    const key = randomUUID();
    const first: MutationResponse = await (await create({}, key)).json();
    const voter = await app.signUp();
    await voter.post(`/api/questions/${first.poll?.id}/vote`, { option: 1 });
    await givePoints(app, maker.user.id, 3);
    const repeated = await create({}, key);
    expect(repeated.status).toBe(201);
    const { poll, user }: MutationResponse = await repeated.json();
    expect([poll?.id, poll?.votesCount, user.points]).toEqual([first.poll?.id, 1, 3]);

    deletedPolls.push(poll?.id ?? '');
    await db.sql`delete from polls where id = ${poll?.id ?? ''}`;
    await db.sql`update poll_totals set active = active - 1, total = total - 1`;
    await sweepImages(images.storage, db);
    const afterDeletion = await create({}, key);
    expect(afterDeletion.status).toBe(201);
    expect(await afterDeletion.json()).toMatchObject({ poll: null, user: { points: 3 } });
  });

  test('with other fields or another image gets key_reused and has no effect', async () => {
    const key = randomUUID();
    await givePoints(app, maker.user.id, 30);
    await create({}, key);
    for (const fields of [{ question: 'Else?' }, { option2Image: green }, { id: randomUUID() }]) {
      expect((await statusCodeAndMessage(await create(fields, key))).slice(0, 2)).toEqual([
        422,
        'key_reused',
      ]);
    }
    expect(await checkedEffects()).toEqual({ polls: 1, debits: 1, points: 30, orphans: 0 });
  });

  test('keeps a refusal, even when the user has enough points later', async () => {
    const key = randomUUID();
    const fields = { responsesWanted: '12' };
    const expected = [402, 'insufficient_points', 'You need 12 points to create a poll'];
    expect(await statusCodeAndMessage(await create(fields, key))).toEqual(expected);
    await givePoints(app, maker.user.id, 50);
    expect(await statusCodeAndMessage(await create(fields, key))).toEqual(expected);
    expect((await create(fields, randomUUID())).status).toBe(201);
  });

  test('of a form with invalid fields or images can be used again', async () => {
    const key = randomUUID();
    expect((await create({ question: '' }, key)).status).toBe(400);
    expect((await create({ option1Image: new Uint8Array([1, 2, 3]) }, key)).status).toBe(415);
    expect((await create({}, key)).status).toBe(201);
  });
});
