import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { givePoints, makePicture, type PollFields, postPoll } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import type { MutationAnswer } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { db } = app;
const { images } = app.deps;
const green = await makePicture('#0c0');
let maker: TestUser;

const create = (fields: PollFields = {}, key?: string, client = maker) =>
  postPoll(client, fields, key === undefined ? {} : { 'Idempotency-Key': key });

async function refusal(answer: Response): Promise<[number, string, string]> {
  const { code, message } = await answer.json();
  return [answer.status, code, message];
}

/** What a maker has: polls, points, files of the polls, and files that should not be there. */
async function traces() {
  const [row] = await db.sql<[{ polls: number; points: number; sum: number; active: number }]>`
    select (select count(*)::int from polls where user_id = ${maker.user.id}) as polls, points,
      (select sum(delta)::int from point_entries where user_id = ${maker.user.id}) as sum,
      (select active from poll_totals) - (select count(*)::int from polls where active) as active
    from users where id = ${maker.user.id}`;
  expect(row.sum).toBe(row.points);
  expect(row.active).toBe(0);
  const [{ count }] = await db.sql<[{ count: number }]>`select count(*)::int as count from polls`;
  const files = await readdir(images.uploadsFolder);
  const incoming = await readdir(images.incomingFolder);
  return { polls: row.polls, points: row.points, orphans: files.length - count * 4 + incoming.length };
}

await db.sql`insert into poll_totals (id, active) values (1, 0) on conflict do nothing`;
beforeEach(async () => {
  maker = await app.signUp();
});

describe('a poll', () => {
  test('is made with all its fields, and paid for', async () => {
    const id = randomUUID();
    const key = randomUUID();
    await givePoints(app, maker.user.id, 10);
    const fields = { id, question: '  Tea or coffee?  ', option1Caption: 'Tea', option2Caption: '   ' };
    const answer = await create({ ...fields, duration: '30', responsesWanted: '15' }, key);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('Idempotency-Key')).toBe(key);
    const { poll, user }: MutationAnswer = await answer.json();
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
    const open = Date.parse(poll?.closesAt ?? '') - Date.parse(poll?.createdAt ?? '');
    expect(open).toBe(30 * 86_400_000);
    expect(user).toMatchObject({ id: maker.user.id, points: 5 });
    expect(await traces()).toEqual({ polls: 1, points: 5, orphans: 0 });
  });

  test('that says nothing more than it must is open for 7 days, wants 10 responses and gets an id', async () => {
    const { poll }: MutationAnswer = await (await create()).json();
    expect(poll).toMatchObject({ duration: 7, responsesWanted: 10, option1Caption: null });
    expect(poll?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  test('takes no field that is not its maker’s to set', async () => {
    const extra = { isSample: 'true', votesCount: '9', active: 'false', userId: '1', rev: '7' };
    const { poll }: MutationAnswer = await (await create(extra as PollFields)).json();
    expect(poll).toMatchObject({ isSample: false, votesCount: 0, active: true, isMine: true, rev: 1 });
  });

  test('sent again by its maker is given as it is, whatever the key', async () => {
    const id = randomUUID();
    const first: MutationAnswer = await (await create({ id })).json();
    for (const key of [undefined, randomUUID()]) {
      const again = await create({ id, question: 'Another question?' }, key);
      expect(again.status).toBe(200);
      expect(await again.json()).toEqual(first);
    }
    expect(await traces()).toEqual({ polls: 1, points: 0, orphans: 0 });
  });
});

describe('a key', () => {
  test('sent again gives the stored status with the poll and the user as they are now', async () => {
    const key = randomUUID();
    const first: MutationAnswer = await (await create({}, key)).json();
    const voter = await app.signUp();
    await voter.post(`/api/questions/${first.poll?.id}/vote`, { option: 1 });
    await givePoints(app, maker.user.id, 3);
    const again = await create({}, key);
    expect(again.status).toBe(201);
    const { poll, user }: MutationAnswer = await again.json();
    expect([poll?.id, poll?.votesCount, user.points]).toEqual([first.poll?.id, 1, 3]);

    await db.sql`delete from votes where poll_id = ${poll?.id ?? ''}`;
    await db.sql`delete from polls where id = ${poll?.id ?? ''}`;
    await db.sql`update poll_totals set active = active - 1`;
    await images.remove([poll?.option1Image ?? '', poll?.option2Image ?? '']);
    const gone = await create({}, key);
    expect(gone.status).toBe(201);
    expect(await gone.json()).toMatchObject({ poll: null, user: { points: 3 } });
  });

  test('with other fields or another picture is refused, and nothing happens', async () => {
    const key = randomUUID();
    await givePoints(app, maker.user.id, 30);
    await create({}, key);
    for (const other of [{ question: 'Else?' }, { option2Image: green }, { id: randomUUID() }]) {
      expect((await refusal(await create(other, key))).slice(0, 2)).toEqual([422, 'key_reused']);
    }
    expect(await traces()).toEqual({ polls: 1, points: 30, orphans: 0 });
  });

  test('keeps a refusal: the answer stays the same when the points are there at last', async () => {
    const key = randomUUID();
    const wish = { responsesWanted: '12' };
    const expected = [402, 'insufficient_points', 'You need 12 points to create a poll'];
    expect(await refusal(await create(wish, key))).toEqual(expected);
    await givePoints(app, maker.user.id, 50);
    expect(await refusal(await create(wish, key))).toEqual(expected);
    expect((await create(wish, randomUUID())).status).toBe(201);
  });

  test('does not keep what another try may pass', async () => {
    const key = randomUUID();
    expect((await create({ question: '' }, key)).status).toBe(400);
    expect((await create({ option1Image: new Uint8Array([1, 2, 3]) }, key)).status).toBe(415);
    expect((await create({}, key)).status).toBe(201);
  });
});

describe('a poll is refused, and leaves no file, row or debit,', () => {
  const question = 'Please enter a question for your poll';
  const uploads = 'Please upload both images for your poll';
  const cases: [string, PollFields, number, string, string | RegExp][] = [
    ['without a question', { question: ' ' }, 400, 'invalid_input', question],
    ['without the field question', { question: null }, 400, 'invalid_input', question],
    ['with a long question', { question: 'q'.repeat(201) }, 400, 'invalid_input', /at most 200/],
    ['with a long caption', { option1Caption: 'c'.repeat(81) }, 400, 'invalid_input', /at most 80/],
    ['with a NUL', { question: 'a\0b' }, 400, 'invalid_input', /cannot be stored/],
    ['without the first picture', { option1Image: null }, 400, 'invalid_input', uploads],
    ['without the second picture', { option2Image: null }, 400, 'invalid_input', uploads],
    ['open for no day', { duration: '0' }, 400, 'invalid_input', /1 to 30 days/],
    ['open for half a day', { duration: '0.5' }, 400, 'invalid_input', /1 to 30 days/],
    ['open for 31 days', { duration: '31' }, 400, 'invalid_input', /1 to 30 days/],
    ['for 9 responses', { responsesWanted: '9' }, 400, 'invalid_input', /at least 10/],
    ['for 1e9 responses', { responsesWanted: '1e9' }, 400, 'invalid_input', /at least 10/],
    ['with an id that is none', { id: '1' }, 400, 'invalid_input', /./],
    ['that costs too much', { responsesWanted: '11' }, 402, 'insufficient_points', /need 11 points/],
    ['with an empty picture', { option2Image: new Uint8Array() }, 422, 'undecodable', /./],
    ['with a cut-off picture', { option2Image: green.subarray(0, 60) }, 422, 'undecodable', /./],
    ['with an SVG', { option1Image: new Uint8Array(Buffer.from('<svg/>')) }, 415, 'unsupported_type', /JPG/],
    ['over 5 MiB', { option1Image: new Uint8Array(5_242_881) }, 413, 'too_large', /5 MB/],
  ];
  test.each(cases)('%s', async (_name, fields, status, code, message) => {
    const key = randomUUID();
    const answer = await create(fields, key);
    expect(answer.headers.get('Idempotency-Key')).toBe(key);
    expect(await refusal(answer)).toEqual([status, code, expect.stringMatching(message)]);
    expect(await traces()).toEqual({ polls: 0, points: 10, orphans: 0 });
  });

  test('of which field it was is told', async () => {
    const answer = await create({ option2Image: green.subarray(0, 60), duration: '3' });
    expect((await answer.json()).issues).toMatchObject([{ path: 'option2Image' }]);
    const fields = await create({ question: '', duration: '99' });
    expect((await fields.json()).issues).toMatchObject([{ path: 'question' }, { path: 'duration' }]);
  });

  test('with the id of somebody else’s poll', async () => {
    const id = randomUUID();
    await create({ id }, undefined, await app.signUp());
    for (const key of [undefined, randomUUID()]) {
      expect((await refusal(await create({ id }, key))).slice(0, 2)).toEqual([409, 'id_taken']);
    }
    expect(await traces()).toEqual({ polls: 0, points: 10, orphans: 0 });
  });

  test('by nobody, as someone else, with a key that is none', async () => {
    const key = randomUUID();
    const nobody = await postPoll(app.visitor(), {}, { 'Idempotency-Key': key });
    expect([nobody.status, nobody.headers.get('Idempotency-Key')]).toEqual([401, key]);
    const mismatch = await postPoll(maker, {}, { 'X-Expected-User': '15', 'Idempotency-Key': key });
    expect((await refusal(mismatch)).slice(0, 2)).toEqual([409, 'actor_mismatch']);
    expect((await refusal(await create({}, 'no-uuid'))).slice(0, 2)).toEqual([400, 'invalid_key']);
    expect((await maker.post('/api/questions', { question: 'JSON?' })).status).toBe(415);
    expect(await traces()).toEqual({ polls: 0, points: 10, orphans: 0 });
  });

  test('when the sender hangs up in the middle', async () => {
    const half = Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="option1Image"; filename="a"\r\n\r\nabc',
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        maker.request('/api/questions', {
          method: 'POST',
          body: half,
          headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(await traces()).toEqual({ polls: 0, points: 10, orphans: 0 });
  });
});
