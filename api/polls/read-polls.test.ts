import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { signUpAdmin } from '#api/testing/admins.ts';
import { makePoll, postPoll, seedPolls } from '#api/testing/poll-factory.ts';
import { createTestApp, type TestUser } from '#api/testing/test-app.ts';
import { type Poll, pollListSchema } from '#shared/polls/schema.ts';
import { createListCache } from './read-feed.ts';

/** The clock by which cached lists expire. */
const clock = { nowMs: 0 };
const app = await createTestApp({ listCache: createListCache(() => clock.nowMs) });
const { db, deps } = app;
const maker = await app.signUp({ username: 'maker' });
const viewer = await app.signUp({ username: 'viewer' });

const read = async (client: TestUser, id: string): Promise<Poll> =>
  (await client.get(`/api/questions/${id}`)).json();

describe('a poll', () => {
  test('shows no results to users who have not voted until it is closed, and shows them to all others', async () => {
    const [id = ''] = await seedPolls(app, maker.user.id, 1);
    const voter = await app.signUp();
    await voter.post(`/api/questions/${id}/vote`, { option: 1 });
    const results = { option1: 1, option2: 0 };
    expect(await read(viewer, id)).toMatchObject({ votesCount: 1, results: null, votes: [], isMine: false });
    expect(await read(voter, id)).toMatchObject({ votesCount: 1, results, votes: [{ option: 1 }] });
    expect(await read(maker, id)).toMatchObject({ votesCount: 1, results, votes: [], isMine: true });
    expect(await read(await signUpAdmin(app), id)).toMatchObject({ results, votes: [], isMine: false });
    await db.sql`update polls set closes_at = now() where id = ${id}`;
    expect(await read(viewer, id)).toMatchObject({ status: 'expired', results, votes: [] });
  });

  test('that is inactive is visible only to its maker, its voters and administrators', async () => {
    const [id = ''] = await seedPolls(app, maker.user.id, 1);
    const voter = await app.signUp();
    await voter.post(`/api/questions/${id}/vote`, { option: 1 });
    await db.sql`update polls set active = false where id = ${id}`;
    for (const client of [maker, voter, await signUpAdmin(app)]) {
      expect(await read(client, id)).toMatchObject({ id, status: 'inactive' });
    }
    const response = await viewer.get(`/api/questions/${id}`);
    expect([response.status, (await response.json()).code]).toEqual([404, 'not_found']);
  });

  test('of a deleted user has no name', async () => {
    const leaver = await app.signUp();
    const [id = ''] = await seedPolls(app, leaver.user.id, 1);
    await db.sql`delete from users where id = ${leaver.user.id}`;
    expect(await read(viewer, id)).toMatchObject({ user: null, isMine: false });
  });

  test('that does not exist gets 404', async () => {
    for (const id of [randomUUID(), 'x', '1', '%00', '../user']) {
      const response = await viewer.get(`/api/questions/${encodeURIComponent(id)}`);
      expect([id, response.status, (await response.json()).code]).toEqual([id, 404, 'not_found']);
    }
  });
});

test('a user’s own polls are listed newest first, including inactive ones', async () => {
  const account = await app.signUp();
  const newest = (await seedPolls(app, account.user.id, 3)).reverse();
  await db.sql`update polls set active = false where id = ${newest[1] ?? ''}`;
  const polls = pollListSchema.parse(await (await account.get('/api/user/questions')).json());
  expect(polls.map(({ id }) => id)).toEqual(newest);
  expect(polls.map(({ status }) => status)).toEqual(['active', 'inactive', 'active']);
  expect(polls.every(({ isMine }) => isMine)).toBe(true);
});

describe('trending', () => {
  test('shows open polls with enough votes, the most voted first, then the newest', async () => {
    await db.sql`update polls set active = false`;
    const seeded = await seedPolls(app, maker.user.id, 6);
    const tallies = [5, 9, 9, 1, 0, 50];
    for (const [index, id] of seeded.entries()) {
      await db.sql`update polls set votes1 = ${tallies[index] ?? 0} where id = ${id}`;
    }
    const [withFiveVotes, olderWithNine, newerWithNine, withOneVote, , closed = ''] = seeded;
    await db.sql`update polls set closes_at = now() where id = ${closed}`;
    deps.listCache.drop();
    const trending = async (query: string) => {
      const response = await viewer.get(`/api/trending${query}`);
      return pollListSchema.parse(await response.json());
    };
    expect((await trending('?limit=2&metrics=true&minVotes=1')).map(({ id }) => id)).toEqual([
      newerWithNine,
      olderWithNine,
    ]);
    expect((await trending('?limit=20')).map(({ id }) => id)).toEqual([
      newerWithNine,
      olderWithNine,
      withFiveVotes,
      withOneVote,
    ]);
    expect((await trending('?limit=20&minVotes=6')).map(({ id }) => id)).toEqual([
      newerWithNine,
      olderWithNine,
    ]);
    expect((await trending('?limit=99&minVotes=0')).length).toBe(5);
    expect((await viewer.get('/api/trending?limit=many')).status).toBe(400);
  });

  test('counts the votes of the last day on request', async () => {
    await db.sql`update polls set active = false`;
    const [id = ''] = await seedPolls(app, maker.user.id, 1);
    for (const voter of [await app.signUp(), await app.signUp(), viewer]) {
      await voter.post(`/api/questions/${id}/vote`, { option: 1 });
    }
    await db.sql`update votes set created_at = now() - interval '25 hours'
      where poll_id = ${id} and user_id = ${viewer.user.id}`;
    deps.listCache.drop();
    const [poll] = await (await viewer.get('/api/trending?metrics=true')).json();
    expect(poll).toMatchObject({ id, votesCount: 3, votesLast24h: 2, votes: [{ option: 1 }] });
    const [pollWithoutMetrics] = await (await viewer.get('/api/trending')).json();
    expect(pollWithoutMetrics).not.toHaveProperty('votesLast24h');
  });

  test('counts the votes of a poll that has just become one of the most voted', async () => {
    await db.sql`update polls set active = false`;
    await seedPolls(app, maker.user.id, 20);
    await db.sql`update polls set votes1 = 1 where active`;
    const [risingId = ''] = await seedPolls(app, maker.user.id, 1);
    deps.listCache.drop();
    const [first] = await (await viewer.get('/api/trending?limit=1')).json();
    expect(first.id).not.toBe(risingId);
    // Halfway through the second for which the ranking is cached.
    clock.nowMs += 500;
    await viewer.get('/api/trending?limit=1&metrics=true');
    for (const voter of [await app.signUp(), await app.signUp()]) {
      await voter.post(`/api/questions/${risingId}/vote`, { option: 1 });
    }
    clock.nowMs += 500;
    const [rising] = await (await viewer.get('/api/trending?limit=1&metrics=true')).json();
    expect(rising).toMatchObject({ id: risingId, votesCount: 2, votesLast24h: 2 });
  });

  test('considers only the 5,000 newest open polls', async () => {
    await db.sql`update polls set active = false`;
    const [tooOld = '', oldest = ''] = await seedPolls(app, maker.user.id, 5_001);
    await db.sql`update polls set votes1 = 50 where id in (${tooOld}, ${oldest})`;
    deps.listCache.drop();
    const polls: Poll[] = await (await viewer.get('/api/trending')).json();
    expect(polls.map(({ id }) => id)).toEqual([oldest]);
  });
});

describe('an image', () => {
  test('is served in two sizes, cacheable for a day and sandboxed', async () => {
    const wide = { create: { width: 960, height: 640, channels: 3, background: '#c00' } } as const;
    const option1Image = Buffer.from(await sharp(wide).png().toBuffer());
    const poll = await makePoll(await app.signUp(), { option1Image });
    for (const [path, width] of [
      [poll.option1Image, 960],
      [`${poll.option1Image}?w=480`, 480],
    ] as const) {
      const response = await app.visitor().get(path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=86400',
        'content-security-policy': expect.stringContaining('sandbox'),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width });
    }
  });

  test('with an invalid name gets 404 in JSON', async () => {
    const poll = await makePoll(await app.signUp());
    const name = poll.option1Image.replace('/uploads/', '');
    const smallFile = name.replace('.webp', '-480.webp');
    for (const path of [
      '',
      '..%2f..%2fpackage.json',
      `%2e%2e%2fuploads%2f${name}`,
      `${name}%00`,
      name.toUpperCase(),
      smallFile,
      `x/${name}`,
      `${name}/`,
      `${name}.png`,
      '%ff',
      '%zz',
      `./${name}%2f`,
    ]) {
      const response = await app.visitor().get(`/uploads/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect([path, (await response.json()).code]).toEqual([path, 'not_found']);
    }
  });
});

test('votes and new polls are rate-limited, with Retry-After', async () => {
  const limited = await createTestApp({ rateLimits: true });
  const user = await limited.signUp();
  const statuses: number[] = [];
  for (let index = 0; index < 11; index += 1) {
    statuses.push((await postPoll(user, { question: '' })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
  const limitedResponse = await postPoll(user, {}, { 'Idempotency-Key': randomUUID() });
  expect(Number(limitedResponse.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(limitedResponse.headers.get('Idempotency-Key')).not.toBeNull();

  const vote = () => user.post(`/api/questions/${randomUUID()}/vote`, { option: 1 });
  const votes = await Promise.all(Array.from({ length: 601 }, vote));
  const refusedVotes = votes.filter(({ status }) => status === 429);
  expect(refusedVotes).toHaveLength(1);
  expect(Number(refusedVotes[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
});
