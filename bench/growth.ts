import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { encodeCursor } from '#api/polls/feed-cursor.ts';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { drawGrowth } from './load/growth-chart.ts';
import { FIRST_USER_ID, TOKEN_LENGTH } from './load/load-ids.ts';
import { measureInTurns, measureMs, type Row } from './load/measurements.ts';
import { median } from './load/quantiles.ts';
import { castVote, fetchText } from './load/requests.ts';
import { withServer } from './owner-server.ts';
import { SCALE, seedScale, THINGS } from './seed-scale.ts';

/** The number of polls in each database; the number of users is a tenth of it. */
const SIZES = [10_000, 100_000, SCALE.polls] as const;
const ROUNDS = 25;
const WARM_UP_ROUNDS = 3;
const PAGE_SIZE = 24;
/** Where the deep page is, as a share of all polls: page 40,000 of a million polls. */
const DEEP_SHARE = 0.96;
const DEEP_MAX = 1.5;
/** The growth of a logarithmic cost from the smallest to the largest database. */
const GROWTH_MAX = Math.log(SIZES[2]) / Math.log(SIZES[0]);
/** An ordinary user with few polls. */
const USER_ID = FIRST_USER_ID + 55;
const SESSION = 'g'.repeat(TOKEN_LENGTH);
/** A user who has voted on almost every open poll. */
const VOTER_ID = FIRST_USER_ID + 56;
const VOTER_SESSION = 'v'.repeat(TOKEN_LENGTH);
const VOTES_MAX = 20_000;
const VOTES_SHARE = 0.95;
/** The text of repeated searches, which the server caches; one in sixteen polls contains it. */
const CACHED_SEARCH = 'teapot';
/** The maximum ratio of the deck, or of a search, to page 1 of the feed. */
const EXPLORE_MAX = 3;
const NEW_SEARCH_MAX_MS = 50;
/**
 * Texts that were not searched for before; each has as many matches as `CACHED_SEARCH`, and at least three letters, so that the
 * trigram index finds it.
 */
const NEW_TEXTS = THINGS.split(' ')
  .filter((thing) => thing.length > 4)
  .flatMap((thing) => [thing, thing.slice(1), thing.slice(0, -1), thing.slice(1, -1)])
  .filter((text) => text !== CACHED_SEARCH);
const CHART = join(import.meta.dirname, '..', 'docs', 'images', 'growth.svg');

type Call = () => Promise<unknown>;

/** Seeds the database at `url`, starts a server with it, and passes the calls to measure to `work`. */
async function withSize<Result>(
  url: string,
  polls: number,
  work: (calls: Readonly<Record<string, Call>>) => Promise<Result>,
): Promise<Result> {
  await seedScale(url, { users: polls / 10, polls });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`
      insert into sessions (token_hash, user_id) values
        (encode(sha256(convert_to(${SESSION}, 'UTF8')), 'hex'), ${USER_ID}),
        (encode(sha256(convert_to(${VOTER_SESSION}, 'UTF8')), 'hex'), ${VOTER_ID})`;
    await sql`
      with open as (
        select id, percent_rank() over (order by md5(id::text)) as share from polls
        where active and closes_at > now() and user_id <> ${VOTER_ID}
      )
      insert into votes (poll_id, user_id, option)
      select id, ${VOTER_ID}, 1 from open where share < ${VOTES_SHARE} order by share limit ${VOTES_MAX}
      on conflict do nothing`;
    await sql`vacuum analyze votes`;
    const open = await sql<{ id: string }[]>`
      select id from polls
      where active and closes_at > now() + interval '1 hour' and user_id <> ${USER_ID}
        and not exists (select from votes where poll_id = polls.id and user_id = ${USER_ID})
      order by created_at desc limit ${ROUNDS + WARM_UP_ROUNDS}`;
    const [deepPoll] = await sql<{ id: string; createdAt: string }[]>`
      select id, (created_at at time zone 'UTC')::text || '+00' as "createdAt" from polls where active
      order by created_at desc, id desc offset ${polls * DEEP_SHARE} limit 1`;
    if (deepPoll === undefined) throw new Error('The feed has no deep page');
    const cursor = encodeCursor(deepPoll);
    return await withServer(url, async ({ address, cookie: cookieOfOwner }) => {
      const get = (path: string, cookie: string) => () =>
        fetchText(address + path, { headers: { Cookie: cookie } });
      const cookieOfUser = `sid=${SESSION}`;
      const vote = () => castVote(address, open.pop()?.id ?? '', cookieOfUser);
      const newTexts = NEW_TEXTS.slice(0, ROUNDS + WARM_UP_ROUNDS);
      return work({
        'one vote': vote,
        'feed, page 1': get(`/api/questions?limit=${PAGE_SIZE}`, cookieOfUser),
        'feed, a deep page': get(`/api/questions?limit=${PAGE_SIZE}&cursor=${cursor}`, cookieOfUser),
        trending: get('/api/trending', cookieOfUser),
        'own polls': get('/api/user/questions', cookieOfUser),
        deck: get('/api/explore', cookieOfUser),
        'deck after 20,000 votes': get('/api/explore', `sid=${VOTER_SESSION}`),
        'search for polls': get(`/api/search?q=${CACHED_SEARCH}`, cookieOfUser),
        'search for polls, most votes first': get(`/api/search?q=${CACHED_SEARCH}&sort=votes`, cookieOfUser),
        'search for polls, ending soon': get(`/api/search?q=${CACHED_SEARCH}&sort=ending`, cookieOfUser),
        'search for polls, a new text': () => get(`/api/search?q=${newTexts.pop()}`, cookieOfUser)(),
        'administrators: search for users': get('/api/admin/users?search=koala-150@', cookieOfOwner),
        'administrators: search for polls': get('/api/admin/polls?search=teapot', cookieOfOwner),
      });
    });
  } finally {
    await sql.end();
  }
}

/** Measures calls with databases of 10 thousand, 100 thousand and a million polls, and draws a chart. */
export async function benchGrowth(): Promise<Row[]> {
  const server = await startPostgres({ isDurable: true });
  try {
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    const urls = SIZES.map((polls) => {
      const url = new URL(server.url);
      url.pathname = `/growth_${polls}`;
      return url.href;
    });
    for (const polls of SIZES) await admin.unsafe(`create database growth_${polls}`);
    await admin.end();
    const [small = '', middle = '', large = ''] = urls;
    return await withSize(small, SIZES[0], (ofSmall) =>
      withSize(middle, SIZES[1], (ofMiddle) =>
        withSize(large, SIZES[2], (ofLarge) => measure([ofSmall, ofMiddle, ofLarge])),
      ),
    );
  } finally {
    await server.stop();
  }
}

async function measure(callsOfSize: readonly Readonly<Record<string, Call>>[]): Promise<Row[]> {
  const tasks = Object.fromEntries(
    callsOfSize.flatMap((calls, index) =>
      Object.entries(calls).map(([name, call]) => [`${name} ${SIZES[index]}`, () => measureMs(call)]),
    ),
  );
  await measureInTurns(tasks, WARM_UP_ROUNDS);
  const times = await measureInTurns(tasks, ROUNDS);
  const medians = Object.keys(callsOfSize[0] ?? {}).map((name) => ({
    name,
    ms: SIZES.map((polls) => median(times[`${name} ${polls}`] ?? [])),
  }));
  await mkdir(join(CHART, '..'), { recursive: true });
  await writeFile(CHART, drawGrowth(SIZES, medians));
  const growth = medians.map(({ name, ms: [first = Number.NaN, , last = Number.NaN] }) => ({
    metric: `${name}: 1 million polls ÷ 10 thousand`,
    value: `${last.toFixed(1)} of ${first.toFixed(1)} ms`,
    comparedValue: last / first,
    target: { max: GROWTH_MAX },
  }));
  const ofLargest = (name: string) =>
    medians.find((measurement) => measurement.name === name)?.ms.at(-1) ?? Number.NaN;
  const dividedByPage1 = (metric: string, name: string, max: number): Row => {
    const [ms, page1Ms] = [ofLargest(name), ofLargest('feed, page 1')];
    const value = `${ms.toFixed(1)} of ${page1Ms.toFixed(1)} ms`;
    return {
      metric: `${metric} ÷ page 1 of the feed, 1 million polls`,
      value,
      comparedValue: ms / page1Ms,
      target: { max },
    };
  };
  const newSearchMs = ofLargest('search for polls, a new text');
  return [
    dividedByPage1('feed, page 40,000 by cursor', 'feed, a deep page', DEEP_MAX),
    dividedByPage1('deck after 20,000 votes', 'deck after 20,000 votes', EXPLORE_MAX),
    dividedByPage1('search for polls', 'search for polls', EXPLORE_MAX),
    {
      metric: 'search for polls, a new text, 1 million polls',
      value: `${newSearchMs.toFixed(1)} ms`,
      comparedValue: newSearchMs,
      target: { max: NEW_SEARCH_MAX_MS },
    },
    ...growth,
  ];
}
