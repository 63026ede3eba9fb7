import { createServer } from 'node:http';
import { join } from 'node:path';
import { closeServer, listenLocally } from '#api/testing/servers/local-server.ts';
import { loadTestUser } from './load/load-ids.ts';
import { type BenchOptions, measureInTurns, type Row } from './load/measurements.ts';
import { medianRate } from './load/quantiles.ts';
import { withFeathers } from './load/reference-servers.ts';
import { withPostgres } from './load/seed-load.ts';
import { ensureTools } from './load/tools.ts';
import { type Load, load } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

const SCALE = { users: 10_000, polls: 10_000, votesOfUser: 3 };
const CONNECTIONS = 64;
const LUA = join(import.meta.dirname, 'load', 'feed.lua');
const TARGET = 0.4;
const FEATHERS_TARGET = 12;

/** Starts a minimal `node:http` server that responds to every request with `body`. */
async function serveBytes(body: Buffer): Promise<{ address: string; stop(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  });
  return { address: `http://127.0.0.1:${await listenLocally(server)}`, stop: () => closeServer(server) };
}

/** Measures page 1 of the feed, with session and own votes, against `node:http` with the same bytes and against Feathers. */
export async function benchFeed({ rounds, seconds }: BenchOptions): Promise<Row[]> {
  ensureTools('wrk');
  return withPostgres(SCALE, (url) =>
    withFeathers(url, (feathers) =>
      withServer(
        url,
        async ({ address }) => {
          const path = '/api/questions?limit=24&includeCount=true';
          const headers = { Cookie: `sid=${loadTestUser(0).token}` };
          const response = await fetch(address + path, { headers });
          if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
          const byteServer = await serveBytes(Buffer.from(await response.arrayBuffer()));
          const script = { path: LUA, args: [SCALE.users] };
          const read = (url: string) => () => load({ url, connections: CONNECTIONS, seconds, script });
          const tasks = { bytes: read(byteServer.address), feathers: read(feathers), feed: read(address) };
          try {
            const results = await measureInTurns<keyof typeof tasks, Load>(tasks, rounds);
            const dividedBy = (metric: string, reference: readonly Load[], min: number): Row => ({
              metric,
              value: `${medianRate(results.feed).toFixed(0)} of ${medianRate(reference).toFixed(0)}/s`,
              comparedValue: medianRate(results.feed) / medianRate(reference),
              target: { min },
            });
            return [
              dividedBy(
                'feed, page 1 with session and own votes ÷ node:http with the same bytes',
                results.bytes,
                TARGET,
              ),
              dividedBy('feed, page 1 ÷ Feathers', results.feathers, FEATHERS_TARGET),
            ];
          } finally {
            await byteServer.stop();
          }
        },
        { env: { RATE_LIMITS: 'on' } },
      ),
    ),
  );
}
