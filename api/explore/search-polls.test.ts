import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPoll, postVote, seedPolls } from '#api/testing/poll-factory.ts';
import { postReport, putBlock } from '#api/testing/reports.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';
import { type SearchPage, searchPageSchema } from '#shared/explore/schema.ts';

const app = await createTestApp();
const { db } = app;
let viewer: TestUser;
let vera: TestUser;
let otto: TestUser;

beforeAll(async () => {
  viewer = await app.signUp({ username: 'viewer' });
  vera = await app.signUp({ username: 'vera' });
  otto = await app.signUp({ username: 'otto' });
  await openPoll(app, vera, {
    question: 'What tastes of summer?',
    option1Caption: 'Berries',
    option2Caption: 'Melon',
  });
  await openPoll(app, vera, { question: 'A hat or 100% shade?', duration: '1' });
  await openPoll(app, otto, { question: 'Is vera_x right?', option2Caption: 'Not in Summer' });
});

async function search(query: Record<string, string>, client = viewer): Promise<SearchPage> {
  const response = await client.get(`/api/search?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  return searchPageSchema.parse(await response.json());
}

const questionsOf = ({ data }: SearchPage) => data.map(({ question }) => question);

/** Reads all pages, and runs `betweenPages` before each page but the first. Returns the questions of the polls. */
async function readAllPages(query: Record<string, string>, betweenPages = async () => {}): Promise<string[]> {
  const questions: string[] = [];
  let page = await search(query);
  for (;;) {
    questions.push(...questionsOf(page));
    if (page.nextCursor === null) return questions;
    await betweenPages();
    page = await search({ ...query, cursor: page.nextCursor });
  }
}

describe('a search finds', () => {
  test.each([
    ['polls by a part of their question, in any letter case', 'TASTES', ['What tastes of summer?']],
    ['polls by a caption', 'melo', ['What tastes of summer?']],
    ['polls by a question or a caption', 'summer', ['Is vera_x right?', 'What tastes of summer?']],
    ['polls by their maker', 'otto', ['Is vera_x right?']],
    [
      'a poll only once if both its question and its maker match',
      'er',
      ['Is vera_x right?', 'A hat or 100% shade?', 'What tastes of summer?'],
    ],
    ['polls by one letter', 'x', ['Is vera_x right?']],
    ['polls by two letters of a caption', 'IE', ['What tastes of summer?']],
    ['polls by words that are too short for the index', 'A H', ['A hat or 100% shade?']],
    ['polls by a literal percent sign', '0%', ['A hat or 100% shade?']],
    ['polls by a literal underscore', 'a_x', ['Is vera_x right?']],
    ['nothing for a LIKE pattern', 'v%a', []],
    ['nothing for a backslash', 'sum\\mer', []],
    ['nothing for an email', 'example.org', []],
    ['nothing across a question and a caption', '?B', []],
    [
      'everything for an empty text',
      '',
      ['Is vera_x right?', 'A hat or 100% shade?', 'What tastes of summer?'],
    ],
    ['everything for spaces', '  ', ['Is vera_x right?', 'A hat or 100% shade?', 'What tastes of summer?']],
    [
      'polls by the text without its control characters',
      'sum\u202Emer\u0007',
      ['Is vera_x right?', 'What tastes of summer?'],
    ],
    [
      'everything for only a control character',
      '\u001F',
      ['Is vera_x right?', 'A hat or 100% shade?', 'What tastes of summer?'],
    ],
  ])('%s', async (_, q, questions) => {
    const page = await search({ q });
    expect(questionsOf(page)).toEqual(questions);
    expect(page).toMatchObject({ nextCursor: null, total: questions.length });
  });
});

test('a search returns polls as the feed does, including the user’s own polls and votes, and no inactive polls', async () => {
  const voter = await app.signUp();
  const poll = await openPoll(app, vera, { question: 'Seen in autumn?' });
  await postVote(voter, poll.id, 2);
  const [seenByVoter] = (await search({ q: 'autumn' }, voter)).data;
  expect(seenByVoter).toMatchObject({
    votes: [{ option: 2 }],
    results: { option1: 0, option2: 1 },
    isMine: false,
  });
  expect((await search({ q: 'autumn' }, vera)).data).toMatchObject([
    { isMine: true, results: { option2: 1 } },
  ]);
  const [seenByViewer] = (await search({ q: 'autumn' })).data;
  expect(seenByViewer).toEqual((await (await viewer.get('/api/questions?limit=1')).json()).data[0]);
  await db.sql`update polls set active = false where id = ${poll.id}`;
  for (const client of [viewer, vera, voter])
    expect((await search({ q: 'autumn' }, client)).data).toEqual([]);
});

test('results and their total exclude reported polls and the polls of blocked users', async () => {
  const [reader, spammer] = [await app.signUp(), await app.signUp()];
  const reported = await openPoll(app, vera, { question: 'Winter one?' });
  await openPoll(app, spammer, { question: 'Winter two?' });
  await openPoll(app, vera, { question: 'Winter three?' });
  await postReport(reader, reported.id);
  await putBlock(reader, spammer.user.username);
  const page = await search({ q: 'winter' }, reader);
  expect(questionsOf(page)).toEqual(['Winter three?']);
  expect(page.total).toBe(1);
  expect((await search({ q: 'winter' })).total).toBe(3);
});

describe('a search', () => {
  beforeAll(async () => {
    const polls = await seedPolls(app, vera.user.id, 9);
    for (const [index, id] of polls.entries()) {
      await db.sql`
        update polls set question = ${`Spring ${index}`}, votes1 = ${index % 3},
          closes_at = now() + make_interval(hours => ${index < 2 ? -1 : 10 - index})
        where id = ${id}`;
    }
    // With its two other votes, this poll has all 100 that its maker wants, so it is completed.
    await db.sql`update polls set votes2 = 98 where question = 'Spring 8'`;
  });

  const springQuestions = (...numbers: number[]) => numbers.map((number) => `Spring ${number}`);
  const NEWEST = springQuestions(8, 7, 6, 5, 4, 3, 2, 1, 0);

  test('lists the newest polls first by default, including closed polls', async () => {
    expect(await readAllPages({ q: 'spring' })).toEqual(NEWEST);
  });

  test.each(['1', '2', '4', '9'])('lists polls in the same order with %s per page', async (limit) => {
    expect(await readAllPages({ q: 'spring', limit })).toEqual(NEWEST);
    // Only open polls: 0 and 1 have expired, 8 is completed.
    expect(await readAllPages({ q: 'spring', limit, sort: 'ending' })).toEqual(
      springQuestions(7, 6, 5, 4, 3, 2),
    );
    const byVotes = { q: 'spring', sort: 'votes' };
    expect(await readAllPages({ ...byVotes, limit })).toEqual(questionsOf(await search(byVotes)));
  });

  test('sorted by votes lists the polls with the most votes first', async () => {
    const { data } = await search({ q: 'spring', sort: 'votes' });
    expect(data.map(({ votesCount }) => votesCount)).toEqual([100, 2, 2, 1, 1, 1, 0, 0, 0]);
  });

  test('repeats and skips no polls when polls are created between pages', async () => {
    const questions = await readAllPages({ q: 'spring', limit: '2' }, async () => {
      const [id = ''] = await seedPolls(app, vera.user.id, 1);
      await db.sql`update polls set question = 'Spring, later' where id = ${id}`;
      app.deps.listCache.drop();
    });
    expect(questions).toEqual(NEWEST);
    await db.sql`delete from polls where question = 'Spring, later'`;
    app.deps.listCache.drop();
  });

  test('returns the total only with the first page', async () => {
    const firstPage = await search({ q: 'spring', limit: '2' });
    expect(firstPage.total).toBe(9);
    expect(await search({ q: 'spring', limit: '2', cursor: firstPage.nextCursor ?? '' })).not.toHaveProperty(
      'total',
    );
  });
});

describe('cached search results', () => {
  const mondayQuestion = (index: number) => `Monday ${index}`;

  beforeAll(async () => {
    const polls = await seedPolls(app, otto.user.id, 6);
    for (const [index, id] of polls.entries())
      await db.sql`update polls set question = ${mondayQuestion(index)} where id = ${id}`;
  });

  test('fill a page even if some of their polls have left the feed', async () => {
    const firstPage = await search({ q: 'monday', limit: '2' });
    expect(questionsOf(firstPage)).toEqual([mondayQuestion(5), mondayQuestion(4)]);
    await db.sql`update polls set active = false where question in (${mondayQuestion(4)}, ${mondayQuestion(3)}, ${mondayQuestion(2)})`;
    expect(questionsOf(await search({ q: 'monday', limit: '2' }))).toEqual([
      mondayQuestion(5),
      mondayQuestion(1),
    ]);
    const secondPage = await search({ q: 'monday', limit: '2', cursor: firstPage.nextCursor ?? '' });
    expect(questionsOf(secondPage)).toEqual([mondayQuestion(1), mondayQuestion(0)]);
    expect(secondPage.nextCursor).toBeNull();
    await db.sql`update polls set active = true where question like 'Monday %'`;
  });

  test('exclude polls that have closed, when sorted by their end', async () => {
    const [id = ''] = await seedPolls(app, otto.user.id, 1);
    await db.sql`update polls set question = 'Tuesday' where id = ${id}`;
    const query = { q: 'tuesday', sort: 'ending' };
    expect(questionsOf(await search(query))).toEqual(['Tuesday']);
    await db.sql`update polls set closes_at = now() where id = ${id}`;
    expect(questionsOf(await search(query))).toEqual([]);
    expect(questionsOf(await search({ q: 'tuesday' }))).toEqual(['Tuesday']);
  });

  test('keep their order by votes while users vote', async () => {
    const firstPage = await search({ q: 'monday', sort: 'votes', limit: '3' });
    const nextPage = { q: 'monday', sort: 'votes', limit: '3', cursor: firstPage.nextCursor ?? '' };
    const secondQuestions = questionsOf(await search(nextPage));
    await db.sql`update polls set votes1 = 50 where question = ${secondQuestions[2] ?? ''}`;
    expect(questionsOf(await search(nextPage))).toEqual(secondQuestions);
  });

  test('include a new poll at once', async () => {
    expect((await search({ q: 'wednesday' })).total).toBe(0);
    await openPoll(app, vera, { question: 'Is it Wednesday?' });
    expect(await search({ q: 'wednesday' })).toMatchObject({
      total: 1,
      data: [{ question: 'Is it Wednesday?' }],
    });
  });

  test('are shared by all users', async () => {
    expect((await search({ q: 'thursday' })).total).toBe(0);
    const [id = ''] = await seedPolls(app, otto.user.id, 1);
    await db.sql`update polls set question = 'Thursday' where id = ${id}`;
    expect((await search({ q: 'thursday' }, otto)).total).toBe(0);
    app.deps.listCache.drop();
    expect((await search({ q: 'thursday' }, otto)).total).toBe(1);
  });
});

test('a search with very many results counts and sorts them only up to a maximum', async () => {
  await seedPolls(app, otto.user.id, SEARCH_TOTAL_MAX + 5);
  for (const q of ['question', 'otto', 'u', '']) {
    const page = await search({ q });
    expect(page).toMatchObject({ total: SEARCH_TOTAL_MAX, hasMoreThanTotal: true });
    expect(questionsOf(page)[0]).toBe(`Question ${SEARCH_TOTAL_MAX + 5}`);
  }
  expect(await search({ q: 'question', sort: 'ending' })).toMatchObject({ total: SEARCH_TOTAL_MAX });
  expect(await readAllPages({ q: 'question', limit: '48' })).toHaveLength(SEARCH_TOTAL_MAX);
});

test.each([
  ['a text that is too long', { q: 'x'.repeat(10_000) }],
  ['a NUL character', { q: 'a\0b' }],
  ['an unknown order', { sort: 'random' }],
  ['a limit that is not a number', { limit: 'x' }],
  ['an invalid cursor', { cursor: 'x' }],
  [
    'a cursor of another order',
    { sort: 'votes', cursor: Buffer.from(`newest|5|${randomUUID()}`).toString('base64url') },
  ],
  ['a cursor without a date', { cursor: Buffer.from(`newest|5|${randomUUID()}`).toString('base64url') }],
  [
    'a cursor with a huge number',
    { sort: 'votes', cursor: Buffer.from(`votes|99999999999|${randomUUID()}`).toString('base64url') },
  ],
  [
    'a cursor with SQL in it',
    { sort: 'votes', cursor: Buffer.from("votes|1' or 1=1|x").toString('base64url') },
  ],
])('a search with %s gets the error `invalid_input`', async (_, query: Record<string, string>) => {
  const response = await viewer.get(`/api/search?${new URLSearchParams(query)}`);
  expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_input']);
});

test.each(['%'.repeat(200), '_'.repeat(200), "' or 1=1 --", '\\', '🙂', 'é', 'a b c d e f', '%_%', ')('])(
  'a search for %s causes no error',
  async (q) => {
    for (const sort of ['newest', 'votes', 'ending']) await search({ q, sort });
  },
);

test('a user can search sixty times a minute', async () => {
  const limited = await createTestApp({ rateLimits: true, db });
  const client = await limited.signUp({ username: 'searcher' });
  for (let count = 0; count < 60; count += 1) {
    expect((await client.get('/api/search?q=zzz')).status).toBe(200);
  }
  const response = await client.get('/api/search?q=zzz');
  expect([response.status, (await response.json()).code]).toEqual([429, 'rate_limited']);
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
});
