import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { encodeCursor } from '#api/polls/feed-cursor.ts';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { drawGrowth } from './load/growth-chart.ts';
import { type BenchOptions, inTurn, median, type Row, timed } from './load/rows.ts';
import { withServer } from './owner-server.ts';
import { FIRST_USER_ID, SCALE, seedScale, THINGS } from './seed-scale.ts';

/** How many polls the databases have; each has a tenth of that many users. */
const SIZES = [10_000, 100_000, SCALE.polls] as const;
const ROUNDS = 25;
const WARM_UP_ROUNDS = 3;
const PAGE_SIZE = 24;
/** Where the deep page of the feed begins: page 40,000 of a million polls. */
const DEEP_SHARE = 0.96;
const DEEP_MAX = 1.5;
/** What a logarithm grows by between the smallest and the largest database. */
const GROWTH_MAX = Math.log(SIZES[2]) / Math.log(SIZES[0]);
/** Makes as few polls as most users. */
const USER_ID = FIRST_USER_ID + 55;
const SESSION = 'g'.repeat(43);
/** Has voted on almost every open poll. */
const VOTER_ID = FIRST_USER_ID + 56;
const VOTER_SESSION = 'v'.repeat(43);
const VOTES_MAX = 20_000;
const VOTES_SHARE = 0.95;
/** What is searched for again and again; one in sixteen polls has it. */
const SEARCHED = 'teapot';
/** Of the deck and the search, compared with page 1 of the feed. */
const EXPLORE_MAX = 3;
const NEW_SEARCH_MAX_MS = 50;
/** Texts for searches that nobody has made before. As many polls have each of them. */
const NEW_TEXTS = THINGS.split(' ')
  .filter((thing) => thing.length > 4)
  .flatMap((thing) => [thing, thing.slice(1), thing.slice(0, -1), thing.slice(1, -1)])
  .filter((text) => text !== SEARCHED);
const CHART = join(import.meta.dirname, '..', 'docs', 'images', 'growth.svg');

type Call = () => Promise<unknown>;

/** A server with so many polls, and the calls to measure on it. */
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
    const [place] = await sql<{ id: string; createdAt: string }[]>`
      select id, (created_at at time zone 'UTC')::text || '+00' as "createdAt" from polls where active
      order by created_at desc, id desc offset ${polls * DEEP_SHARE} limit 1`;
    if (place === undefined) throw new Error('The feed has no such page.');
    const cursor = encodeCursor(place);
    return await withServer(url, async ({ address, cookie }) => {
      const get = (path: string, session: string) => async () => {
        const answer = await fetch(address + path, { headers: { Cookie: session } });
        const body = await answer.text();
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`);
      };
      const vote = async () => {
        const answer = await fetch(`${address}/api/questions/${open.pop()?.id}/vote`, {
          method: 'POST',
          headers: {
            Cookie: `sid=${SESSION}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': randomUUID(),
          },
          body: '{"option":1}',
        });
        const body = await answer.text();
        if (!answer.ok) throw new Error(`vote: ${answer.status} ${body}`);
      };
      const mine = `sid=${SESSION}`;
      const newTexts = NEW_TEXTS.slice(0, ROUNDS + WARM_UP_ROUNDS);
      return work({
        'one vote': vote,
        'feed, page 1': get(`/api/questions?limit=${PAGE_SIZE}`, mine),
        'feed, a deep page': get(`/api/questions?limit=${PAGE_SIZE}&cursor=${cursor}`, mine),
        trending: get('/api/trending', mine),
        'own polls': get('/api/user/questions', mine),
        deck: get('/api/explore', mine),
        'deck after 20,000 votes': get('/api/explore', `sid=${VOTER_SESSION}`),
        'search for polls': get(`/api/search?q=${SEARCHED}`, mine),
        'search for polls, most votes first': get(`/api/search?q=${SEARCHED}&sort=votes`, mine),
        'search for polls, ending soon': get(`/api/search?q=${SEARCHED}&sort=ending`, mine),
        'search for polls, a new text': () => get(`/api/search?q=${newTexts.pop()}`, mine)(),
        'administrators: search for users': get('/api/admin/users?search=koala-150@', cookie),
        'administrators: search for polls': get('/api/admin/polls?search=teapot', cookie),
      });
    });
  } finally {
    await sql.end();
  }
}

/** What calls cost in databases of 10 thousand, 100 thousand and a million polls; draws a chart. */
export async function benchGrowth(_: BenchOptions): Promise<Row[]> {
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
    callsOfSize.flatMap((calls, nth) =>
      Object.entries(calls).map(([name, call]) => [`${name} ${SIZES[nth]}`, () => timed(call)]),
    ),
  );
  await inTurn(tasks, WARM_UP_ROUNDS);
  const times = await inTurn(tasks, ROUNDS);
  const medians = Object.keys(callsOfSize[0] ?? {}).map((name) => ({
    name,
    ms: SIZES.map((polls) => median(times[`${name} ${polls}`] ?? [])),
  }));
  await mkdir(join(CHART, '..'), { recursive: true });
  await writeFile(CHART, drawGrowth(SIZES, medians));
  const growth = medians.map(({ name, ms: [first = Number.NaN, , last = Number.NaN] }) => ({
    metric: `${name}: 1 million polls ÷ 10 thousand`,
    value: `${last.toFixed(1)} of ${first.toFixed(1)} ms`,
    figure: last / first,
    target: { max: GROWTH_MAX },
  }));
  const ofLargest = (name: string) => medians.find((each) => each.name === name)?.ms.at(-1) ?? Number.NaN;
  const dividedByFirst = (metric: string, name: string, max: number): Row => {
    const [ms, firstMs] = [ofLargest(name), ofLargest('feed, page 1')];
    const value = `${ms.toFixed(1)} of ${firstMs.toFixed(1)} ms`;
    return {
      metric: `${metric} ÷ page 1 of the feed, 1 million polls`,
      value,
      figure: ms / firstMs,
      target: { max },
    };
  };
  const newSearchMs = ofLargest('search for polls, a new text');
  return [
    dividedByFirst('feed, page 40,000 by cursor', 'feed, a deep page', DEEP_MAX),
    dividedByFirst('deck after 20,000 votes', 'deck after 20,000 votes', EXPLORE_MAX),
    dividedByFirst('search for polls', 'search for polls', EXPLORE_MAX),
    {
      metric: 'search for polls, a new text, 1 million polls',
      value: `${newSearchMs.toFixed(1)} ms`,
      figure: newSearchMs,
      target: { max: NEW_SEARCH_MAX_MS },
    },
    ...growth,
  ];
}
