import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll, postVote, putVote } from '#api/testing/poll-factory.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import type { TestClient } from '#api/testing/test-client.ts';
import type { Poll } from '#shared/polls/schema.ts';
import { csvFileName, toCsv } from './results-csv.ts';

const app = await createTestApp();
const { db } = app;
const admin = await signUpAdmin(app);
const voters = [await app.signUp(), await app.signUp(), await app.signUp()] as const;
let maker: TestUser;
let poll: Poll;

beforeEach(async () => {
  maker = await app.signUp();
  poll = await openPoll(app, maker, { option1Caption: 'Tea', option2Caption: 'Coffee, "black"' });
});

/** Casts three votes: two in the last hour of a day, one in the first hour of the next. */
async function castVotes() {
  for (const [voter, option, castAt] of [
    [voters[0], 1, '2026-11-20T23:00:00Z'],
    [voters[1], 2, '2026-11-20T23:59:59Z'],
    [voters[2], 1, '2026-11-21T00:00:00Z'],
  ] as const) {
    await postVote(voter, poll.id, option);
    await db.sql`
      update votes set created_at = ${castAt} where poll_id = ${poll.id} and user_id = ${voter.user.id}`;
  }
}

const readHours = (client: TestClient, id = poll.id) => client.get(`/api/questions/${id}/votes-by-hour`);
const readCsv = (client: TestClient, id = poll.id) => client.get(`/api/questions/${id}/results.csv`);

describe('votes by hour', () => {
  test('are the votes for each option in each hour in UTC', async () => {
    await castVotes();
    const hours = [
      { hour: '2026-11-20T23:00:00.000Z', option1: 1, option2: 1 },
      { hour: '2026-11-21T00:00:00.000Z', option1: 1, option2: 0 },
    ];
    expect(await (await readHours(maker)).json()).toEqual({ hours });
    await putVote(voters[2], poll.id, 2);
    const [, changed] = (await (await readHours(maker)).json()).hours;
    expect(changed).toEqual({ hour: '2026-11-21T00:00:00.000Z', option1: 0, option2: 1 });
  });

  test('are empty for a poll without votes', async () => {
    expect(await (await readHours(maker)).json()).toEqual({ hours: [] });
  });
});

describe.each([
  ['GET votes-by-hour', readHours],
  ['GET results.csv', readCsv],
])('%s', (_, read) => {
  test('responds only to the maker, even after the poll has closed', async () => {
    await postVote(voters[0], poll.id, 1);
    for (const user of [voters[0], admin]) {
      const response = await read(user);
      expect([response.status, (await response.json()).code]).toEqual([403, 'not_yours']);
    }
    for (const id of ['x', randomUUID()]) expect((await read(maker, id)).status).toBe(404);
    await db.sql`update polls set closes_at = now(), active = false where id = ${poll.id}`;
    expect((await read(maker)).status).toBe(200);
  });

  test('responds with 404 for a removed poll', async () => {
    await admin.post(`/api/admin/polls/${poll.id}/deactivate`);
    await db.sql`update polls set removed_at = now(), active_before = true where id = ${poll.id}`;
    expect((await read(maker)).status).toBe(404);
  });

  test('is rate-limited per user', async () => {
    const { client, limits } = limitedClient(app, maker);
    await useUp(limits.resultsOfUser, maker.user.id, { callsLeft: 1 });
    expect((await read(client)).status).toBe(200);
    const response = await read(client);
    expect([response.status, (await response.json()).code]).toEqual([429, 'rate_limited']);
  });
});

describe('the CSV file', () => {
  test('contains the results, then the votes by hour, in four columns', async () => {
    await castVotes();
    const response = await readCsv(maker);
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('Content-Disposition')).toBe(
      'attachment; filename="results-red-or-blue.csv"',
    );
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A byte order mark, without which Excel would not read the file as UTF-8.
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toBe(
      [
        'Option,Caption,Votes,Per cent',
        'A,Tea,2,67',
        'B,"Coffee, ""black""",1,33',
        ',,,',
        'Hour (UTC),Votes for A,Votes for B,Votes',
        '2026-11-20 23:00,1,1,2',
        '2026-11-21 00:00,1,0,1',
        '',
      ].join('\r\n'),
    );
  });

  const cellOf = (option1Caption: string | null) =>
    toCsv({ option1Caption, option2Caption: null }, []).split('\r\n')[1]?.slice('A,'.length, -',0,0'.length);

  test.each([
    [null, ''],
    ['Tea', 'Tea'],
    ['Tee – 茶 🍵', 'Tee – 茶 🍵'],
    ['a "b"', '"a ""b"""'],
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['1-1', '1-1'],
  ])('writes the caption %j as %s', (caption, cell) => {
    expect(cellOf(caption)).toBe(cell);
  });

  test('writes a multi-line caption as one cell', () => {
    const csv = toCsv({ option1Caption: 'a\r\nb', option2Caption: 'c\n=d' }, []);
    expect(csv).toContain('A,"a\r\nb",0,0\r\n');
    expect(csv).toContain('B,"c\n=d",0,0\r\n');
  });

  test.each([
    ['Which sofa for the new flat?', 'results-which-sofa-for-the-new-flat.csv'],
    ['Élan vital?', 'results-elan-vital.csv'],
    ['茶?', 'results-poll.csv'],
    ['"; filename="evil.exe\r\nX: y', 'results-filename-evil-exe-x-y.csv'],
    [`${'long '.repeat(40)}?`, `results-${'long-'.repeat(12).slice(0, -1)}.csv`],
  ])('for the question %j is named %s', (question, name) => {
    expect(csvFileName(question)).toBe(name);
  });
});
