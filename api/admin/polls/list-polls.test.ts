import { beforeAll, describe, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll, postVote, seedPolls } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { type AdminPolls, adminPollsSchema } from '#shared/admin/schema.ts';
import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';

const app = await createTestApp();
const { db } = app;
let admin: TestUser;
let vera: TestUser;
let otto: TestUser;

beforeAll(async () => {
  admin = await signUpAdmin(app, { username: 'the-adam' });
  vera = await app.signUp({ username: 'vera' });
  otto = await app.signUp({ username: 'otto' });
  await seedPolls(app, vera.user.id, 12);
  await openPoll(app, otto, { question: 'Tea or 100% coffee?' });
  await openPoll(app, otto, { question: 'Is vera_x right?' });
});

async function readPage(query: string): Promise<AdminPolls> {
  const response = await admin.get(`/api/admin/polls${query}`);
  expect(response.status).toBe(200);
  return adminPollsSchema.parse(await response.json());
}

const questionsOf = ({ polls }: AdminPolls) => polls.map(({ question }) => question);
const search = (text: string, params = '') => readPage(`?search=${encodeURIComponent(text)}${params}`);

describe('pages', () => {
  test('have ten polls, newest first', async () => {
    const page = await readPage('');
    expect(page.pagination).toEqual({ page: 1, limit: 10, total: 14, pages: 2 });
    expect(questionsOf(page).slice(0, 3)).toEqual(['Is vera_x right?', 'Tea or 100% coffee?', 'Question 12']);
    expect(questionsOf(await readPage('?page=2'))).toEqual([
      'Question 4',
      'Question 3',
      'Question 2',
      'Question 1',
    ]);
  });

  test('include inactive polls and results, but only the administrator’s own votes', async () => {
    const poll = await openPoll(app, vera, { question: 'Seen?' });
    await postVote(otto, poll.id, 2);
    await postVote(admin, poll.id, 1);
    await db.sql`update polls set active = false where id = ${poll.id}`;
    await db.sql`update poll_totals set active = active - 1`;
    const [first] = (await readPage('')).polls;
    expect(first).toMatchObject({
      id: poll.id,
      user: { username: 'vera' },
      status: 'inactive',
      votesCount: 2,
      votes: [{ option: 1 }],
      results: { option1: 1, option2: 1 },
    });
    await db.sql`delete from polls where id = ${poll.id}`;
    await db.sql`update poll_totals set total = total - 1`;
  });

  test('are empty past the last page', async () => {
    expect(await readPage('?page=3')).toEqual({
      polls: [],
      pagination: { page: 3, limit: 10, total: 14, pages: 2 },
    });
  });
});

describe('a search', () => {
  test.each([
    ['polls by a part of their question, in any letter case', 'COFFEE', ['Tea or 100% coffee?']],
    ['polls by their maker', 'otto', ['Is vera_x right?', 'Tea or 100% coffee?']],
    ['polls by one letter', 'x', ['Is vera_x right?']],
    ['polls by two letters, in any letter case', 'TE', ['Tea or 100% coffee?']],
    ['polls by two letters in the middle of a word', 'Ff', ['Tea or 100% coffee?']],
    ['nothing for a LIKE pattern of two characters', 'r_', []],
    ['nothing for punctuation without letters', ' %? ', []],
    ['polls by words too short for the index', 'A OR 1', ['Tea or 100% coffee?']],
    ['polls by a literal percent sign', '0%', ['Tea or 100% coffee?']],
    ['polls by a literal underscore', 'a_x', ['Is vera_x right?']],
    ['nothing for a backslash', 'coff\\ee', []],
    ['nothing for an email', 'example.org', []],
    ['nothing for a LIKE pattern', 'T_a', []],
  ])('finds %s', async (_, text, questions) => {
    const page = await search(text);
    expect(questionsOf(page)).toEqual(questions);
    expect(page.pagination.total).toBe(questions.length);
  });

  test('lists a poll once when both its question and its maker match', async () => {
    // Every poll matches: one by its maker otto, one by its question and otto, the others by their questions.
    const page = await search('o', '&limit=20');
    const newest = ['Is vera_x right?', 'Tea or 100% coffee?', 'Question 12'];
    expect(questionsOf(page).slice(0, 3)).toEqual(newest);
    expect(page.polls).toHaveLength(14);
    expect(page.pagination).toEqual({ page: 1, limit: 20, total: 14, pages: 1 });
    expect(questionsOf(await search('o', '&page=3&limit=6'))).toEqual(['Question 2', 'Question 1']);
  });

  test('finds a poll of a deleted user by its question', async () => {
    const leaver = await app.signUp({ username: 'gone' });
    await openPoll(app, leaver, { question: 'Whose is this?' });
    expect((await search('gone')).pagination.total).toBe(1);
    await admin.delete(`/api/admin/users/${leaver.user.id}`);
    expect((await search('gone')).pagination.total).toBe(0);
    expect((await search('whose is')).polls).toMatchObject([{ user: null }]);
  });

  test('counts very many results only up to a maximum, and says so', async () => {
    const prolific = await app.signUp({ username: 'prolific' });
    await seedPolls(app, prolific.user.id, SEARCH_TOTAL_MAX + 5);
    // The other polls, which do not match the name, are older.
    await db.sql`
      update polls set created_at = created_at - interval '1 day' where user_id is distinct from ${prolific.user.id}`;
    for (const text of ['question', 'prolific', 'o']) {
      const page = await search(text);
      expect(page.pagination).toEqual({
        page: 1,
        limit: 10,
        total: SEARCH_TOTAL_MAX,
        pages: 100,
        hasMoreThanTotal: true,
      });
      expect(questionsOf(page)).toEqual(
        Array.from({ length: 10 }, (_, index) => `Question ${SEARCH_TOTAL_MAX + 5 - index}`),
      );
    }
    expect(questionsOf(await search('question', '&page=100')).at(-1)).toBe('Question 6');
    expect(questionsOf(await search('question', '&page=101'))).toEqual([]);
    // The questions 100 and 1000 to 1005.
    expect((await search('question 100')).pagination).toEqual({ page: 1, limit: 10, total: 7, pages: 1 });
  });
});
