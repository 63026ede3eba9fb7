import { beforeAll, describe, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { type AdminUsers, adminUsersSchema } from '#shared/admin/schema.ts';
import { SEARCH_TOTAL_MAX } from '#shared/explore/constants.ts';

const app = await createTestApp();
const { db } = app;
let admin: TestUser;

/** The 24 accounts older than the administrator's, newest first. */
const NAMES = Array.from({ length: 24 }, (_, index) => `person-${String(index + 1).padStart(2, '0')}`);

async function addUsers(names: readonly string[], secondsAgo: number) {
  await db.sql`
    insert into users (username, email, password_hash, referral_code, created_at)
    select name, name || '@mail.example', 'none', name, now() - make_interval(secs => ${secondsAgo} + n)
    from unnest(${`{${names.join()}}`}::text[]) with ordinality names (name, n)`;
}

beforeAll(async () => {
  await addUsers(NAMES, 60);
  admin = await signUpAdmin(app, { username: 'the-adam', email: 'boss@work.example' });
});

async function readPage(query: string): Promise<AdminUsers> {
  const response = await admin.get(`/api/admin/users${query}`);
  expect(response.status).toBe(200);
  return adminUsersSchema.parse(await response.json());
}

const namesOf = ({ users }: AdminUsers) => users.map(({ username }) => username);
const search = (text: string, params = '') => readPage(`?search=${encodeURIComponent(text)}${params}`);

describe('pages', () => {
  test('have ten users, newest first, with the fields for administrators', async () => {
    const page = await readPage('');
    expect(page.pagination).toEqual({ page: 1, limit: 10, total: 25, pages: 3 });
    expect(namesOf(page)).toEqual(['the-adam', ...NAMES.slice(0, 9)]);
    expect(page.users[0]).toMatchObject({ email: 'boss@work.example', isAdmin: true, points: 10 });
    expect(JSON.stringify(page)).not.toMatch(/password/i);
  });

  test('contain each user once, although the last page is read from the end of the index', async () => {
    const pages = [
      await readPage('?page=1&limit=7'),
      await readPage('?page=2&limit=7'),
      await readPage('?page=3&limit=7'),
    ];
    const last = await readPage('?page=4&limit=7');
    expect([...pages, last].flatMap(namesOf)).toEqual(['the-adam', ...NAMES]);
    expect(namesOf(last)).toEqual(NAMES.slice(-4));
    expect(last.pagination).toEqual({ page: 4, limit: 7, total: 25, pages: 4 });
  });

  test.each([
    ['?page=0', { page: 1, limit: 10 }],
    ['?page=-5&limit=0', { page: 1, limit: 1 }],
    ['?limit=1000', { page: 1, limit: 100 }],
    ['?page=99999999999999999999&limit=99999999999', { page: 1_000_000, limit: 100 }],
  ])('are clamped to the allowed range for %s', async (query, expected) => {
    expect((await readPage(query)).pagination).toMatchObject({ ...expected, total: 25 });
  });

  test('are empty past the last page', async () => {
    const page = await readPage('?page=4');
    expect(page).toEqual({ users: [], pagination: { page: 4, limit: 10, total: 25, pages: 3 } });
  });

  test.each(['?page=two', '?limit=1.5', '?page=', '?limit=0x10'])(
    'respond with 400 to %s, which is not an integer',
    async (query) => {
      const response = await admin.get(`/api/admin/users${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid_input' });
    },
  );
});

describe('a search', () => {
  test.each([
    ['users by a part of their name', 'son-1', NAMES.slice(9, 19)],
    ['users by a part of their name in another letter case', 'PERSON-03', ['person-03']],
    ['users by a part of their email', 'boss@', ['the-adam']],
    ['users by a name with spaces around it', '  person-24 ', ['person-24']],
    ['users by one letter', 'W', ['the-adam']],
    ['users by two letters in any letter case', 'Bo', ['the-adam']],
    ['users by punctuation and single characters', '-2', NAMES.slice(19)],
    ['users by the last letter of a word and the first two of the next', 'E-Ad', ['the-adam']],
    ['users by the last two letters of a word and the first of the next', 'he-a', ['the-adam']],
    ['nothing when no user matches', 'nobody at all', []],
  ])('finds %s', async (_, text, names) => {
    const page = await search(text);
    expect(namesOf(page)).toEqual(names);
    expect(page.pagination).toEqual({
      page: 1,
      limit: 10,
      total: names.length,
      pages: Math.ceil(names.length / 10),
    });
  });

  test('lists its results in pages', async () => {
    const page = await search('person', '&page=3&limit=10');
    expect(namesOf(page)).toEqual(NAMES.slice(20));
    expect(page.pagination).toEqual({ page: 3, limit: 10, total: 24, pages: 3 });
  });

  test('treats %, _ and \\ as literal characters', async () => {
    await addUsers(['under_score', 'under-score'], 3_600);
    await db.sql`update users set email = 'per%cent@mail.example' where username = 'under-score'`;
    expect(namesOf(await search('r_s'))).toEqual(['under_score']);
    expect(namesOf(await search('r%c'))).toEqual(['under-score']);
    expect(namesOf(await search('r_sc'))).toEqual(['under_score']);
    expect(namesOf(await search('er%c'))).toEqual(['under-score']);
    for (const text of ['%%', '_n', '\\', 'r\\_s', '\\%']) expect(namesOf(await search(text))).toEqual([]);
    expect(namesOf(await search('_'))).toEqual(['under_score']);
    await db.sql`delete from users where username in ('under_score', 'under-score')`;
  });

  test('of only spaces lists all users', async () => {
    expect((await search('   ')).pagination.total).toBe(25);
  });

  test.each([
    ['that is too long', 'x'.repeat(201)],
    ['with a NUL character', 'a\0b'],
  ])('%s gets 400', async (_, text) => {
    const response = await admin.get(`/api/admin/users?search=${encodeURIComponent(text)}`);
    expect(response.status).toBe(400);
  });

  test('counts very many results only up to a maximum, and says so', async () => {
    const many = Array.from({ length: SEARCH_TOTAL_MAX + 30 }, (_, index) => `crowd-${index}`);
    await addUsers(many, 7_200);
    const firstPage = await search('crowd');
    expect(firstPage.pagination).toEqual({
      page: 1,
      limit: 10,
      total: SEARCH_TOTAL_MAX,
      pages: 100,
      hasMoreThanTotal: true,
    });
    expect(namesOf(firstPage)).toEqual(many.slice(0, 10));
    expect(namesOf(await search('crowd', '&page=100'))).toEqual(many.slice(990, 1_000));
    expect(namesOf(await search('crowd', '&page=101'))).toEqual([]);
    expect(namesOf(await search('crowd-77'))).toEqual(['crowd-77', ...many.slice(770, 779)]);
    expect((await search('crowd-77')).pagination).toMatchObject({ total: 11, pages: 2 });
    await db.sql`delete from users where username like 'crowd-%'`;
  });
});

test('an administrator can search sixty times a minute, and read pages without a search at any rate', async () => {
  const limited = await createTestApp({ rateLimits: true, db });
  const client = await signUpAdmin(limited, { username: 'searcher' });
  for (let count = 0; count < 60; count += 1) {
    expect((await client.get('/api/admin/polls?search=x')).status).toBe(200);
  }
  for (const path of ['/api/admin/polls?search=x', '/api/admin/users?search=x']) {
    const response = await client.get(path);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  expect((await client.get('/api/admin/users?search=')).status).toBe(200);
});
