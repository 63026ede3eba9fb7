import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './load/quantiles.ts';
import type { MemorySample } from './load/report-memory.ts';
import { withPostgres } from './load/seed-load.ts';
import { withFolder } from './load/temporary-folder.ts';
import { ensureTools } from './load/tools.ts';
import { loadAllowingErrors } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

/**
 * Soak test: loads the server on PostgreSQL for the given minutes (60 by default) with votes and reads of the feed, at a share
 * of its measured capacity. Prints the errors, and how its memory has changed.
 */

const MINUTES = 60;
const LOAD_SHARE = 0.7;
const READS_PER_VOTE = 4;
const CONNECTIONS = 64;
const SCALE = { users: 100_000, polls: 10_000, votesOfUser: 3 };
const WARM_UP_S = 10;
const CAPACITY_TEST_S = 20;
/** After each interval the pause between two requests is adjusted. */
const INTERVAL_S = 30;
/** More than are sent in an interval, so that intervals use different votes. */
const REQUESTS_PER_INTERVAL = 500_000;
const SAMPLE_INTERVAL_MS = 10_000;
const MIX = join(import.meta.dirname, 'load', 'mix.lua');
const REPORTER = pathToFileURL(join(import.meta.dirname, 'load', 'report-memory.ts')).href;
const MB = 1_000_000;

const { positionals } = parseArgs({ allowPositionals: true });
const minutes = Number(positionals[0] ?? MINUTES);
if (!(minutes > 0)) throw new Error('Usage: npm run bench:soak -- [minutes]');
ensureTools('wrk');

let intervals = 0;

/** Loads the server with votes and reads; each connection pauses between two requests. */
function loadMix(url: string, seconds: number, pauseMs: number) {
  intervals += 1;
  const first = intervals * REQUESTS_PER_INTERVAL;
  const args = [SCALE.users, SCALE.polls, first, 0, READS_PER_VOTE, Math.round(pauseMs)];
  return loadAllowingErrors({ url, connections: CONNECTIONS, seconds, script: { path: MIX, args } });
}

/** Loads the server for the given minutes, and prints the results of each interval. */
async function soak(url: string, memoryLog: string): Promise<void> {
  await loadMix(url, WARM_UP_S, 0);
  const { perSecond: capacity } = await loadMix(url, CAPACITY_TEST_S, 0);
  const target = capacity * LOAD_SHARE;
  console.log(`${capacity.toFixed(0)} requests a second is the capacity, ${target.toFixed(0)} the target`);
  // The time from one request of a connection to its next, at the target rate.
  const cycleMs = (CONNECTIONS / target) * 1_000;
  let pauseMs = cycleMs * (1 - LOAD_SHARE);
  const earlierSamples = (await readSamples(memoryLog)).length;
  const results: Awaited<ReturnType<typeof loadAllowingErrors>>[] = [];
  for (let seconds = 0; seconds < minutes * 60; seconds += INTERVAL_S) {
    const interval = await loadMix(url, INTERVAL_S, pauseMs);
    results.push(interval);
    pauseMs = Math.max(1, pauseMs + cycleMs - (CONNECTIONS / interval.perSecond) * 1_000);
    const last = (await readSamples(memoryLog)).at(-1);
    const minute = ((seconds + INTERVAL_S) / 60).toFixed(1);
    const speed = `${interval.perSecond.toFixed(0)}/s, p99 ${interval.p99Ms.toFixed(1)} ms`;
    console.log(
      [`${minute} min: ${speed}`, ...(last ? [formatMemory(last)] : []), ...interval.errors].join(', '),
    );
  }
  const perSecond = median(results.map((interval) => interval.perSecond));
  console.log(
    `\n${minutes} minutes with ${perSecond.toFixed(0)} requests a second, one in ${READS_PER_VOTE + 1} a vote; medians of p50 ` +
      `${median(results.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms, of p99 ${median(results.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
  );
  const errors = results.flatMap((interval) => interval.errors);
  console.log(errors.length === 0 ? 'No errors' : errors.join('\n'));
  printDrift((await readSamples(memoryLog)).slice(earlierSamples));
}

async function readSamples(path: string): Promise<MemorySample[]> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

const formatMemory = ({ rss, heap }: MemorySample) =>
  `RSS ${(rss / MB).toFixed(0)} MB, heap ${(heap / MB).toFixed(0)} MB`;

/** The median memory in one tenth of the time, numbered 0 to 9. */
function medianOfTenth(samples: readonly MemorySample[], tenth: number): MemorySample {
  const length = Math.ceil(samples.length / 10);
  const start = Math.min(Math.floor((samples.length * tenth) / 10), samples.length - length);
  const interval = samples.slice(start, start + length);
  return { rss: median(interval.map(({ rss }) => rss)), heap: median(interval.map(({ heap }) => heap)) };
}

function printDrift(samples: readonly MemorySample[]): void {
  const [early, late] = [medianOfTenth(samples, 1), medianOfTenth(samples, 9)];
  console.log(`\n| Memory | second tenth, MB | last tenth, MB | last ÷ second |\n|---|--:|--:|--:|`);
  for (const [name, key] of [
    ['RSS', 'rss'],
    ['heap', 'heap'],
  ] as const) {
    const [before, after] = [early[key], late[key]];
    console.log(
      `| ${name} | ${(before / MB).toFixed(0)} | ${(after / MB).toFixed(0)} | ${(after / before).toFixed(2)} |`,
    );
  }
}

await withFolder((folder) =>
  withPostgres(SCALE, (databaseUrl) => {
    const memoryLog = join(folder, 'memory');
    return withServer(databaseUrl, ({ address }) => soak(address, memoryLog), {
      env: { RATE_LIMITS: 'on', MEMORY_LOG: memoryLog, MEMORY_EVERY_MS: String(SAMPLE_INTERVAL_MS) },
      nodeOptions: ['--import', REPORTER],
    });
  }),
);
