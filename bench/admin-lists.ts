import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import { measureInTurns, measureMs } from './load/measurements.ts';
import { median, quantile } from './load/quantiles.ts';
import { fetchText } from './load/requests.ts';
import { type Server, withServer } from './owner-server.ts';
import { RARE_WORD, SCALE, seedScale } from './seed-scale.ts';

/**
 * Measures the administrators' lists over HTTP, on the real server with the PostgreSQL database at `DATABASE_URL` (seeded if it
 * is empty) or with a temporary one. Prints a table.
 */

const ROUNDS = 25;
const WARM_UP_ROUNDS = 3;
/** Slightly longer than the server caches the overview. */
const OVERVIEW_PAUSE_MS = 5_100;
const OVERVIEW_ROUNDS = 5;

const lastPage = (rows: number) => Math.ceil(rows / ADMIN_PAGE_SIZE);
const search = (text: string) => `search=${encodeURIComponent(text)}`;

const CALLS = [
  ['reference: /api/admin/check', '/api/admin/check'],
  ['without a session: /api/ready', '/api/ready'],
  ['feed, page 1', '/api/questions'],
  ['users, page 1', '/api/admin/users?page=1'],
  ['users, the middle page', `/api/admin/users?page=${lastPage(SCALE.users) / 2}`],
  ['users, the last page', `/api/admin/users?page=${lastPage(SCALE.users)}`],
  ['users, search matching one user', `/api/admin/users?${search('koala-4242')}`],
  ['users, search matching one of sixteen users', `/api/admin/users?${search('otter')}`],
  ['users, search matching all users', `/api/admin/users?${search('mail.example')}`],
  ['users, search for one letter', `/api/admin/users?${search('a')}`],
  ['users, search for two letters', `/api/admin/users?${search('ot')}`],
  ['users, search without matches', `/api/admin/users?${search('zzzqqq')}`],
  ['users, search for three letters without matches', `/api/admin/users?${search('qzx')}`],
  ['users, search for two letters without matches', `/api/admin/users?${search('qz')}`],
  ['polls, page 1', '/api/admin/polls?page=1'],
  ['polls, the middle page', `/api/admin/polls?page=${lastPage(SCALE.polls) / 2}`],
  ['polls, the last page', `/api/admin/polls?page=${lastPage(SCALE.polls)}`],
  ['polls, search matching 20 polls', `/api/admin/polls?${search(RARE_WORD)}`],
  ['polls, search matching one of 300 polls', `/api/admin/polls?${search('velvet')}`],
  ['polls, search matching one of 16 polls', `/api/admin/polls?${search('teapot')}`],
  ['polls, search matching one of three polls', `/api/admin/polls?${search('which')}`],
  ['polls, the same search, page 100', `/api/admin/polls?page=100&${search('which')}`],
  ['polls, search for a maker of 10 polls', `/api/admin/polls?${search('koala-4242')}`],
  ['polls, search for a maker of 10,000 polls', `/api/admin/polls?${search('amber-badger-0')}`],
  ['polls, search for 6,000 makers', `/api/admin/polls?${search('otter')}`],
  ['polls, search for one letter', `/api/admin/polls?${search('a')}`],
  ['polls, search for two letters', `/api/admin/polls?${search('wh')}`],
  ['polls, search without matches', `/api/admin/polls?${search('zzzqqq')}`],
  ['polls, search for three letters without matches', `/api/admin/polls?${search('qzx')}`],
  ['polls, search for two letters matching 20 polls', `/api/admin/polls?${search('xy')}`],
  ['polls, search for single letters without matches', `/api/admin/polls?${search('q z')}`],
  ['polls, search for two letters without matches', `/api/admin/polls?${search('qz')}`],
] as const;

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const configuredUrl = process.env.DATABASE_URL ?? '';
  const server = configuredUrl === '' ? await startPostgres() : null;
  try {
    const url = server?.url ?? configuredUrl;
    if (!(await isSeeded(url))) await seedScale(url);
    await work(url);
  } finally {
    await server?.stop();
  }
}

async function isSeeded(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await sql<[{ total: number }?]>`select total from poll_totals`.catch(() => []);
  await sql.end();
  return (row?.total ?? 0) >= SCALE.polls;
}

async function measureLists({ address, cookie }: Server): Promise<void> {
  const call = (path: string) => fetchText(`${address}${path}`, { headers: { Cookie: cookie } });
  const tasks = Object.fromEntries(CALLS.map(([name, path]) => [name, () => measureMs(() => call(path))]));
  await measureInTurns(tasks, WARM_UP_ROUNDS);
  const times = await measureInTurns(tasks, ROUNDS);
  const overview: number[] = [];
  for (let round = 0; round < OVERVIEW_ROUNDS; round += 1) {
    await sleep(OVERVIEW_PAUSE_MS);
    overview.push(await measureMs(() => call('/api/admin/overview')));
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${ROUNDS} rounds in turn\n`);
  console.log(toTable({ ...times, 'overview, recounted': overview }));
}

/** A Markdown table of the durations of each call, with the ratio to the median of the first call. */
function toTable(times: Readonly<Record<string, readonly number[]>>): string {
  const base = median(Object.values(times)[0] ?? []);
  const rows = Object.entries(times).map(([name, ms]) => {
    const figures = [quantile(ms, 0), median(ms), quantile(ms, 0.95), median(ms) / base];
    return `| ${name} | ${figures.map((figure) => figure.toFixed(1)).join(' | ')} |`;
  });
  return [
    '| Call | fastest, ms | median, ms | p95, ms | median ÷ reference |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

await withDatabase((url) => withServer(url, measureLists));
