import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FIRST_USER_ID } from './load/load-ids.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { median, medianRate } from './load/quantiles.ts';
import { withFeathers } from './load/reference-servers.ts';
import { withPostgres } from './load/seed-load.ts';
import { withFolder } from './load/temporary-folder.ts';
import { ensureTools } from './load/tools.ts';
import { type Load, load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

const run = promisify(execFile);

const CLIENTS = [16, 256, 1_024] as const;
const PGBENCH_CLIENTS = 16;
const POLLS = 10_000;
/** Polls for hot rounds: all votes of a round are on one of them, those of the next round on another. */
const HOT_POLLS = 64;
const SCALE = { users: 100_000, polls: POLLS + HOT_POLLS, votesOfUser: 0 };
/** The distance between the first votes of two rounds: more than the votes of a round. */
const VOTES_PER_ROUND = 1_000_000;
const LUA = join(import.meta.dirname, 'load', 'vote.lua');
/** The minimum ratios to pgbench. */
const TARGETS = { even: 0.85, hot: 1.5 };
/** The minimum ratio to Feathers, with the fewest clients. */
const FEATHERS_TARGET = 5;
const P99_MAX_MS = 50;

type Kind = keyof typeof TARGETS;

let round = 0;

/**
 * The number of the first vote of a round, how many polls are voted on, and the index of the first of them (`offset`). Rounds
 * use different votes, so none is repeated.
 */
function nextRound(kind: Kind): { first: number; polls: number; offset: number } {
  round += 1;
  const first = round * VOTES_PER_ROUND;
  return kind === 'even'
    ? { first, polls: POLLS, offset: 0 }
    : { first, polls: 1, offset: POLLS + (round % HOT_POLLS) };
}

/** The writes of a vote in one statement, without its checks and its response. `:i` counts the votes of a client. */
const voteScript = (poll: string) => `
\\set i :i + 1
\\set n :first + :i * ${PGBENCH_CLIENTS} + :client_id
\\set u :n % ${SCALE.users}
\\set p ${poll}
with cast_vote as (
  insert into votes (poll_id, user_id, option)
  values (('00000000-0000-7000-8000-' || lpad(to_hex((:p)::int), 12, '0'))::uuid, ${FIRST_USER_ID} + (:u)::int, 1 + (:n)::int % 2)
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

type PgbenchOptions = { databaseUrl: string; folder: string; seconds: number };

/** Votes with pgbench, whose script is written to `folder`. */
async function voteWithPgbench(kind: Kind, { databaseUrl, folder, seconds }: PgbenchOptions): Promise<Load> {
  const { first, offset } = nextRound(kind);
  // Distributes votes over polls as vote.lua does.
  const poll = kind === 'even' ? `(:n + :n / ${SCALE.users}) % ${POLLS}` : String(offset);
  const script = join(folder, `${kind}.sql`);
  await writeFile(script, voteScript(poll));
  const { stdout } = await run('pgbench', [
    ...['--no-vacuum', '--protocol', 'prepared', '--client', String(PGBENCH_CLIENTS), '--jobs', '2'],
    ...['--time', String(seconds), '--define', 'i=0', '--define', `first=${first}`],
    ...['--file', script, databaseUrl],
  ]);
  // Only the rates are compared.
  return { perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]), p50Ms: Number.NaN, p99Ms: Number.NaN };
}

function voteThroughApi(url: string, kind: Kind, connections: number, seconds: number): Promise<Load> {
  const { first, polls, offset } = nextRound(kind);
  return load({
    url,
    connections,
    seconds,
    script: { path: LUA, args: [SCALE.users, polls, first, offset] },
  });
}

/**
 * Measures votes through the API, with session, limits, receipt and ledger, evenly on all polls and on one hot poll. The
 * references are pgbench, with the same five writes as one prepared statement on the same PostgreSQL, and for even votes also
 * Feathers, which writes neither receipts nor a ledger.
 */
export function benchVotes({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk', 'pgbench');
  return withFolder((folder) =>
    withPostgres(SCALE, (databaseUrl) =>
      withFeathers(databaseUrl, (feathers) =>
        withServer(
          databaseUrl,
          async ({ address }) => {
            const rows: Row[] = [];
            // Warms both servers up.
            for (const url of [address, feathers]) await voteThroughApi(url, 'even', CLIENTS[0], seconds);
            for (const kind of ['even', 'hot'] as const) {
              const tasks = Object.fromEntries([
                ['pgbench', () => voteWithPgbench(kind, { databaseUrl, folder, seconds })],
                ...(kind === 'even'
                  ? [['Feathers', () => voteThroughApi(feathers, kind, CLIENTS[0], seconds)] as const]
                  : []),
                ...CLIENTS.map((clients) => [clients, () => voteThroughApi(address, kind, clients, seconds)]),
              ]);
              const {
                pgbench = [],
                Feathers = [],
                ...loads
              } = await measureInTurns<string, Load>(tasks, rounds);
              for (const [clients, app] of Object.entries(loads))
                rows.push(...rowsOf(kind, clients, { app, pgbench, Feathers }));
            }
            return rows;
          },
          { env: { RATE_LIMITS: 'on' } },
        ),
      ),
    ),
  );
}

/**
 * The rows for a number of clients: the ratio to pgbench, and for the fewest clients also the p99 and the ratio to Feathers.
 */
function rowsOf(
  kind: Kind,
  clients: string,
  { app, pgbench, Feathers }: Record<'app' | 'pgbench' | 'Feathers', readonly Load[]>,
): Row[] {
  const metric = `votes, ${kind}, ${clients} clients`;
  const dividedBy = (name: string, reference: number, min: number): Row => ({
    metric: `${metric} ÷ ${name}`,
    value: `${medianRate(app).toFixed(0)} of ${reference.toFixed(0)}/s`,
    comparedValue: medianRate(app) / reference,
    target: { min },
  });
  const p99Ms = median(app.map((result) => result.p99Ms));
  const hasFewestClients = clients === String(CLIENTS[0]);
  return [
    dividedBy('pgbench', medianRate(pgbench), TARGETS[kind]),
    ...(hasFewestClients && Feathers.length > 0
      ? [dividedBy('Feathers', medianRate(Feathers), FEATHERS_TARGET)]
      : []),
    ...(hasFewestClients
      ? [
          {
            metric: `${metric}, p99 in ms`,
            value: `${p99Ms.toFixed(1)} ms`,
            comparedValue: p99Ms,
            target: { max: P99_MAX_MS },
          },
        ]
      : []),
  ];
}
