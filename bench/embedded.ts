import { join } from 'node:path';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { medianRate } from './load/quantiles.ts';
import { seedEmbedded } from './load/seed-load.ts';
import { ensureTools } from './load/tools.ts';
import { type Load, load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

const SCALE = { users: 10_000, polls: 5_000, votesOfUser: 0 };
const CLIENTS = 16;
/** More than the votes of a round, so that rounds use different votes. */
const VOTES_PER_ROUND = 1_000_000;
const LUA = join(import.meta.dirname, 'load', 'vote.lua');
const RATIO_TARGET = 0.6;
const VOTES_TARGET = 3_000;

/** Measures votes through the API on the embedded database, and how much they slow other requests down. */
export async function benchEmbedded({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk');
  let round = 0;
  return withServer(
    '',
    async ({ address }) => {
      const health = () => load({ url: `${address}/api/health`, connections: CLIENTS, seconds });
      const vote = () => {
        round += 1;
        const script = { path: LUA, args: [SCALE.users, SCALE.polls, round * VOTES_PER_ROUND, 0] };
        return load({ url: address, connections: CLIENTS, seconds, script });
      };
      const besideVotes = async () => (await Promise.all([health(), vote()]))[0];
      const tasks = { idle: health, busy: besideVotes, votes: vote };
      const { idle, busy, votes } = await measureInTurns<keyof typeof tasks, Load>(tasks, rounds);
      return [
        {
          metric: 'embedded database: votes a second, 16 clients',
          value: `${medianRate(votes).toFixed(0)}/s`,
          comparedValue: medianRate(votes),
          target: { min: VOTES_TARGET },
        },
        {
          metric: 'embedded database: health under votes ÷ idle',
          value: `${medianRate(busy).toFixed(0)} of ${medianRate(idle).toFixed(0)}/s`,
          comparedValue: medianRate(busy) / medianRate(idle),
          target: { min: RATIO_TARGET },
        },
      ];
    },
    { env: { RATE_LIMITS: 'on' }, prepare: seedEmbedded(SCALE) },
  );
}
