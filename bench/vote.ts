import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '#api/testing/postgres-server.ts';
import { seedLoad } from './load/seed-load.ts';
import { ensureTools } from './load/tools.ts';
import { type Load, load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

/**
 * Votes through the API, with session, limits, receipt and ledger, beside the same five writes as one prepared statement by
 * pgbench, alternately on the same PostgreSQL. `--quick` measures fewer and shorter rounds.
 */
const run = promisify(execFile);
const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? 2 : 5;
const SECONDS = isQuick ? 3 : 8;
const CLIENTS = [16, 256, 1_024];
const USERS = 100_000;
const POLLS = 10_000;
/** More votes than a round can take. */
const VOTES_OF_ROUND = 1_000_000;
const HOT_POLLS = 64;
const LUA = join(import.meta.dirname, 'load', 'vote.lua');

let round = 0;

/** The writes of a vote in one statement, without its checks and its answer. `:i` counts the votes of a client. */
const voteScript = (firstPoll: string) => `
\\set i :i + 1
\\set n :first + :i * ${CLIENTS[0]} + :client_id
\\set u :n % ${USERS}
\\set p ${firstPoll}
with cast_vote as (
  insert into votes (poll_id, user_id, option)
  values (('00000000-0000-7000-8000-' || lpad(to_hex((:p)::int), 12, '0'))::uuid, 1000 + (:u)::int, 1 + (:n)::int % 2)
  on conflict (poll_id, user_id) do nothing returning poll_id, user_id, option
), tally as (
  update polls set rev = rev + 1, votes1 = votes1 + (option = 1)::int, votes2 = votes2 + (option = 2)::int
  from cast_vote where polls.id = cast_vote.poll_id returning polls.id
), entry as (
  insert into point_entries (user_id, delta, reason, source)
  select user_id, 1, 'vote', 'vote:' || poll_id from cast_vote returning user_id
), credit as (
  update users set points = points + 1, rev = rev + 1 from cast_vote where users.id = cast_vote.user_id
  returning users.points
)
insert into mutation_receipts (user_id, key, route, fingerprint, status, entity_id)
select user_id, gen_random_uuid(), 'vote', 'fingerprint', 200, poll_id from cast_vote;
`;

type Kind = 'even' | 'hot';

/** Where the users of this round begin, and which polls they vote on: no vote is ever repeated. */
function nextRound(kind: Kind): { first: number; polls: number; offset: number } {
  round += 1;
  const first = (round % 100) * VOTES_OF_ROUND;
  return kind === 'even'
    ? { first, polls: POLLS, offset: 0 }
    : { first, polls: 1, offset: POLLS + (round % HOT_POLLS) };
}

async function voteByPgbench(url: string, folder: string, kind: Kind): Promise<number> {
  const { first, offset } = nextRound(kind);
  const poll = kind === 'even' ? `(:n + :n / ${USERS}) % ${POLLS}` : String(offset);
  const script = join(folder, `${kind}.sql`);
  await writeFile(script, voteScript(poll));
  const clients = String(CLIENTS[0]);
  const { stdout } = await run('pgbench', [
    ...[
      '--no-vacuum',
      '--protocol',
      'prepared',
      '--client',
      clients,
      '--jobs',
      '2',
      '--time',
      String(SECONDS),
    ],
    ...['--define', 'i=0', '--define', `first=${first}`, '--file', script, url],
  ]);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

async function voteByApi(address: string, kind: Kind, connections: number): Promise<Load> {
  const { first, polls, offset } = nextRound(kind);
  const script = { path: LUA, args: [USERS, polls, first, offset] };
  return load({ url: address, connections, seconds: SECONDS, script });
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

ensureTools('wrk', 'pgbench');
const server = await startPostgres({ isDurable: true });
const folder = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
try {
  await seedLoad(server.url, { users: USERS, polls: POLLS, hotPolls: HOT_POLLS });
  await withServer(server.url, async ({ address }) => {
    await voteByApi(address, 'even', 16);
    console.log('| votes | clients | a second | p50, ms | p99, ms | ÷ pgbench |\n|---|--:|--:|--:|--:|--:|');
    for (const kind of ['even', 'hot'] as const) {
      const references: number[] = [];
      const loads = new Map<number, Load[]>(CLIENTS.map((clients) => [clients, []]));
      for (let nth = 0; nth < ROUNDS; nth += 1) {
        references.push(await voteByPgbench(server.url, folder, kind));
        for (const clients of CLIENTS) loads.get(clients)?.push(await voteByApi(address, kind, clients));
      }
      const reference = median(references);
      console.log(`| ${kind}, pgbench | ${CLIENTS[0]} | ${reference.toFixed(0)} | | | 1 |`);
      for (const [clients, found] of loads) {
        const perSecond = median(found.map((one) => one.perSecond));
        const p50 = median(found.map((one) => one.p50Ms));
        const p99 = median(found.map((one) => one.p99Ms));
        console.log(
          `| ${kind} | ${clients} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${(perSecond / reference).toFixed(2)} |`,
        );
      }
    }
  });
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
