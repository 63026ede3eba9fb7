import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '#api/db/transaction.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { makePoll, postVote, seedPolls } from '#api/testing/poll-factory.ts';
import { atBlockLimit, postReport, putBlock } from '#api/testing/reports.ts';
import { planOf } from '#api/testing/servers/database.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { type FeedPage, feedPageSchema } from '#shared/polls/schema.ts';
import { listFeed, selectHidden } from './queries.ts';
import { createListCache } from './read-feed.ts';

/** The clock by which the cached part of page 1 expires. */
const clock = { nowMs: 0 };
const app = await createTestApp({ listCache: createListCache(() => clock.nowMs) });
const { db, deps } = app;
const maker = await app.signUp({ username: 'maker' });
const viewer = await app.signUp({ username: 'viewer' });

/** The tests decode images and write thousands of rows, perhaps on a busy machine. */
const TIMEOUT_MS = 120_000;

beforeEach(async () => {
  await db.sql`delete from polls`;
  await db.sql`update poll_totals set active = 0, total = 0`;
  deps.listCache.drop();
}, TIMEOUT_MS);

async function feed(query = '', client: TestUser = viewer): Promise<FeedPage> {
  const response = await client.get(`/api/questions${query}`);
  expect(response.status).toBe(200);
  return feedPageSchema.parse(await response.json());
}

const idsOf = (page: FeedPage) => page.data.map(({ id }) => id);

describe('the feed', { timeout: TIMEOUT_MS }, () => {
  test('is empty before the first poll', async () => {
    expect(await feed('?includeCount=true')).toEqual({
      data: [],
      pagination: { limit: 24, offset: 0, hasMore: false, nextCursor: null, total: 0 },
    });
  });

  test('shows the newest 24 polls first, and further polls by offset', async () => {
    const newest = (await seedPolls(app, maker.user.id, 30)).reverse();
    const firstPage = await feed('?limit=24&offset=0&includeCount=true');
    expect(idsOf(firstPage)).toEqual(newest.slice(0, 24));
    expect(firstPage.pagination).toMatchObject({ limit: 24, offset: 0, hasMore: true, total: 30 });
    const secondPage = await feed('?limit=24&offset=24&includeCount=true');
    expect(idsOf(secondPage)).toEqual(newest.slice(24));
    expect(secondPage.pagination).toMatchObject({ offset: 24, hasMore: false, nextCursor: null });
    expect((await feed()).pagination).not.toHaveProperty('total');
  });

  test('read by cursors contains each poll once, even if polls are created in the meantime', async () => {
    const newest = (await seedPolls(app, maker.user.id, 25)).reverse();
    // Polls created at the same time are sorted by their ids.
    await db.sql`update polls set created_at = (select max(created_at) from polls)`;
    const expected = [...newest].sort().reverse();
    const seenIds: string[] = [];
    let page = await feed('?limit=10');
    for (;;) {
      seenIds.push(...idsOf(page));
      const { nextCursor } = page.pagination;
      if (nextCursor === null) break;
      await seedPolls(app, maker.user.id, 1);
      // With a cursor the offset is ignored.
      page = await feed(`?limit=10&offset=500&cursor=${nextCursor}`);
      expect(page.pagination.offset).toBe(0);
    }
    expect(seenIds).toEqual(expected);
  });

  test('contains a new poll in the next read', async () => {
    await feed();
    const otherMaker = await app.signUp();
    const poll = await makePoll(otherMaker);
    expect(idsOf(await feed())).toEqual([poll.id]);
  });

  test('contains the user’s own vote in the next read, but no other user’s votes', async () => {
    const [pollId = ''] = await seedPolls(app, maker.user.id, 1);
    await feed();
    await viewer.post(`/api/questions/${pollId}/vote`, { option: 2 });
    expect((await feed()).data[0]?.votes).toEqual([{ option: 2, changesLeft: 5 }]);
    expect((await feed('', await app.signUp())).data[0]).toMatchObject({ votes: [], results: null });
  });

  test.each([
    ['the first poll', [0]],
    ['the last poll', [5]],
    ['two polls in a row', [2, 3]],
    ['all polls', [0, 1, 2, 3, 4, 5]],
    ['none', []],
  ])(
    'shows each poll like a separate read of the poll, to a viewer who has voted on %s',
    async (_, voted) => {
      const polls = (await seedPolls(app, maker.user.id, 6)).reverse();
      // Positions in the text of a page are in bytes, of which these letters have more than one.
      await db.sql`update polls set question = 'Größer, 你好 🙂?', votes1 = 3 where id = ${polls[1] ?? ''}`;
      for (const index of voted) await postVote(viewer, polls[index] ?? '', index % 2 === 0 ? 1 : 2);
      deps.listCache.drop();
      const { data } = await feed();
      expect(data).toEqual(
        await Promise.all(polls.map(async (id) => (await viewer.get(`/api/questions/${id}`)).json())),
      );
      expect(data.map(({ votes }) => votes.length)).toEqual(
        polls.map((_, index) => (voted.includes(index) ? 1 : 0)),
      );
    },
  );

  test('contains the votes of others after at most a second', async () => {
    const [pollId = ''] = await seedPolls(app, maker.user.id, 1);
    await feed();
    await viewer.post(`/api/questions/${pollId}/vote`, { option: 2 });
    expect((await feed('', maker)).data[0]?.votesCount).toBe(0);
    clock.nowMs += 1_000;
    expect((await feed('', maker)).data[0]?.votesCount).toBe(1);
  });

  test('shows results to makers and administrators, but not to other viewers', async () => {
    const [pollId = ''] = await seedPolls(app, maker.user.id, 1);
    await db.sql`update polls set votes1 = 3 where id = ${pollId}`;
    const reads = [viewer, maker, await signUpAdmin(app), await app.signUp()].map(
      async (client) => (await feed('', client)).data[0],
    );
    const results = { option1: 3, option2: 0 };
    expect(await Promise.all(reads)).toMatchObject([
      { results: null, isMine: false },
      { results, isMine: true },
      { results, isMine: false },
      { results: null, isMine: false },
    ]);
  });

  test('excludes inactive polls, and includes closed ones with their results', async () => {
    const [inactive = '', expired = '', completed = ''] = await seedPolls(app, maker.user.id, 3);
    await db.sql`update polls set active = false where id = ${inactive}`;
    await db.sql`update polls set closes_at = now() - interval '1 minute' where id = ${expired}`;
    await db.sql`update polls set votes1 = 60, votes2 = 40 where id = ${completed}`;
    const { data } = await feed();
    expect(data.map(({ status }) => status)).toEqual(['completed', 'expired']);
    expect(data.map(({ results }) => results)).toEqual([
      { option1: 60, option2: 40 },
      { option1: 0, option2: 0 },
    ]);
  });

  test('has an ETag, and responds with 304 while nothing has changed for this viewer', async () => {
    const [pollId = ''] = await seedPolls(app, maker.user.id, 1);
    const etag = (await viewer.get('/api/questions')).headers.get('ETag') ?? '';
    const unchanged = await viewer.get('/api/questions', { 'If-None-Match': etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    expect((await maker.get('/api/questions', { 'If-None-Match': etag })).status).toBe(200);
    await viewer.post(`/api/questions/${pollId}/vote`, { option: 1 });
    expect((await viewer.get('/api/questions', { 'If-None-Match': etag })).status).toBe(200);
  });

  test('has an ETag per viewer and their votes, and is not cached by proxies', async () => {
    const [pollId = ''] = await seedPolls(app, maker.user.id, 1);
    const [firstVoter, secondVoter] = [await app.signUp(), await app.signUp()];
    await firstVoter.post(`/api/questions/${pollId}/vote`, { option: 1 });
    await secondVoter.post(`/api/questions/${pollId}/vote`, { option: 2 });
    const viewers = [firstVoter, secondVoter, viewer, maker];
    const etags = await Promise.all(
      viewers.map(async (client) => (await client.get('/api/questions')).headers.get('ETag') ?? ''),
    );
    expect(new Set(etags).size).toBe(viewers.length);
    for (const [index, client] of viewers.entries()) {
      for (const [other, etag] of etags.entries()) {
        const response = await client.get('/api/questions', { 'If-None-Match': etag });
        expect([index, other, response.status]).toEqual([index, other, index === other ? 304 : 200]);
        expect(response.headers.get('Vary')).toContain('Cookie');
        expect(response.headers.get('Cache-Control')).toBe('private, no-cache');
        expect(response.headers.get('ETag')).toBe(etags[index]);
      }
    }
    // Another user in the same browser.
    const credentials = { username: secondVoter.user.username, password: secondVoter.password };
    expect((await firstVoter.post('/api/login', credentials)).status).toBe(200);
    expect((await firstVoter.get('/api/questions', { 'If-None-Match': etags[0] ?? '' })).status).toBe(200);
  });

  test('clamps integers, and rejects other values and invalid cursors', async () => {
    await seedPolls(app, maker.user.id, 2);
    expect((await feed('?limit=-1')).pagination.limit).toBe(1);
    expect((await feed('?limit=1000000000000000000000')).pagination.limit).toBe(100);
    expect((await feed('?offset=1000000000')).pagination.offset).toBe(10_000);
    expect((await feed('?limit=1')).pagination.hasMore).toBe(true);
    const invalidQueries = ['?limit=x', '?offset=1.5', '?cursor=x', '?cursor='];
    const invalidTimestamps = ['2026-02-30 00:00:00+00', '2026-01-01', "2026-01-01 00:00:00+00'--"];
    const forged = invalidTimestamps.map(
      (timestamp) => `?cursor=${Buffer.from(`${timestamp}|${randomUUID()}`).toString('base64url')}`,
    );
    for (const query of [...invalidQueries, ...forged]) {
      const response = await viewer.get(`/api/questions${query}`);
      expect([query, response.status, (await response.json()).code]).toEqual([query, 400, 'invalid_input']);
    }
  });

  test('reads the polls after a cursor from an index, without sorting them', async () => {
    const plan = await inTransaction(db, async (tx) => {
      // An autovacuum of the table may hold its lock for longer than a request may wait.
      await tx.sql`set local lock_timeout = 0`;
      await tx.sql`set local statement_timeout = 0`;
      await seedPolls({ db: tx }, maker.user.id, 2_000);
      await tx.sql`analyze polls`;
      const cursor = { createdAt: new Date().toISOString(), id: randomUUID() };
      await listFeed(tx, { cursor, offset: 0, viewerId: null, limit: 25 });
      // The query that `listFeed` has just run. That of viewers who hide polls has more parameters.
      const [prepared] = await tx.sql<{ name: string }[]>`
        select name from pg_prepared_statements
        where statement like 'select %("polls"."created_at", "polls"."id") <% limit $3 offset $4'`;
      return tx.sql.unsafe<{ 'QUERY PLAN': string }[]>(
        `explain execute "${prepared?.name}" ('${cursor.createdAt}', '${cursor.id}', 25, 0)`,
      );
    });
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    // As long as all polls are active, both indexes cost the same.
    expect(text).toMatch(/Index Scan using polls_(feed|newest)/);
    expect(text).not.toContain('Sort');
  });

  test('counts without the polls of a viewer’s reports and blocks, each once, and reads no others for that', async () => {
    const [blocked, reporter] = [await app.signUp(), await app.signUp()];
    const [reported = '', takenBack = '', inactive = ''] = await seedPolls(app, maker.user.id, 5);
    const [reportedOfBlocked = ''] = await seedPolls(app, blocked.user.id, 2);
    for (const id of [reported, takenBack, inactive, reportedOfBlocked]) await postReport(reporter, id);
    await reporter.delete(`/api/questions/${takenBack}/report`);
    await db.sql`update polls set active = false where id = ${inactive}`;
    await db.sql`update poll_totals set active = active - 1`;
    await putBlock(reporter, blocked.user.username);
    const page = await feed('?limit=100&includeCount=true', reporter);
    expect([page.pagination.total, page.data.length]).toEqual([3, 3]);

    // Creates a thousand users with consecutive ids, who become the makers: a block then concerns few polls.
    await atBlockLimit(app);
    const plan = await inTransaction(db, async (tx) => {
      await tx.sql`set local statement_timeout = 0`;
      await seedPolls({ db: tx }, maker.user.id, 2_000);
      await tx.sql`update polls set user_id = (select max(blocked_id) from user_blocks) - (random() * 999)::int`;
      await tx.sql`analyze polls, poll_reports, user_blocks`;
      return planOf(tx, selectHidden(tx, reporter.user.id));
    });
    expect(plan).toContain('polls_owner');
    expect(plan).not.toContain('Seq Scan on polls');
  });

  test('and the other reads of polls are only for logged-in users', async () => {
    for (const path of [
      '/api/questions',
      '/api/trending',
      '/api/user/questions',
      `/api/questions/${randomUUID()}`,
    ]) {
      const response = await app.visitor().get(path);
      expect([path, response.status, (await response.json()).code]).toEqual([path, 401, 'unauthenticated']);
    }
  });
});
