import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '#api/testing/servers/postgres-server.ts';
import type { MemorySample } from './load/report-memory.ts';
import { median } from './load/rows.ts';
import { seedPostgres } from './load/seed-load.ts';
import { ensureTools } from './load/tools.ts';
import { loadDespiteErrors } from './load/wrk.ts';
import { withServer } from './owner-server.ts';

/**
 * Loads the server on PostgreSQL for the given minutes (60) with votes and reads of the feed, at a share of what it can take, and
 * prints the errors and how its memory has changed.
 */
const MINUTES = 60;
const SHARE = 0.7;
const READS_OF_VOTE = 4;
const CONNECTIONS = 64;
const SCALE = { users: 100_000, polls: 10_000, votesOfUser: 3 };
const WARM_UP_S = 10;
const MEASURED_S = 20;
/** After each part of the run the pause between two requests is corrected. */
const PART_S = 30;
/** More than are made in a part. */
const REQUESTS_OF_PART = 500_000;
const SAMPLE_EVERY_MS = 10_000;
const MIX = join(import.meta.dirname, 'load', 'mix.lua');
const REPORTER = pathToFileURL(join(import.meta.dirname, 'load', 'report-memory.ts')).href;
const MB = 1_000_000;

const { positionals } = parseArgs({ allowPositionals: true });
const minutes = Number(positionals[0] ?? MINUTES);
if (!(minutes > 0)) throw new Error('Usage: npm run bench:soak -- [minutes]');
ensureTools('wrk');

let parts = 0;

/** Loads the server with the mix; each connection pauses between two requests. */
function loadMix(url: string, seconds: number, pauseMs: number) {
  parts += 1;
  const first = parts * REQUESTS_OF_PART;
  const args = [SCALE.users, SCALE.polls, first, 0, READS_OF_VOTE, Math.round(pauseMs)];
  return loadDespiteErrors({ url, connections: CONNECTIONS, seconds, script: { path: MIX, args } });
}

/** Loads the server for the given minutes, and prints every half of a minute how that goes. */
async function soak(url: string, memoryLog: string): Promise<void> {
  await loadMix(url, WARM_UP_S, 0);
  const { perSecond: most } = await loadMix(url, MEASURED_S, 0);
  const wanted = most * SHARE;
  console.log(`${most.toFixed(0)} requests a second at most, ${wanted.toFixed(0)} wanted`);
  const cycleMs = (CONNECTIONS / wanted) * 1_000;
  let pauseMs = cycleMs * (1 - SHARE);
  const skipped = (await readSamples(memoryLog)).length;
  const found: Awaited<ReturnType<typeof loadDespiteErrors>>[] = [];
  for (let seconds = 0; seconds < minutes * 60; seconds += PART_S) {
    const part = await loadMix(url, PART_S, pauseMs);
    found.push(part);
    pauseMs = Math.max(1, pauseMs + cycleMs - (CONNECTIONS / part.perSecond) * 1_000);
    const last = (await readSamples(memoryLog)).at(-1);
    const minute = ((seconds + PART_S) / 60).toFixed(1);
    const speed = `${part.perSecond.toFixed(0)}/s, p99 ${part.p99Ms.toFixed(1)} ms`;
    console.log([`${minute} min: ${speed}`, ...(last ? [inMb(last)] : []), ...part.errors].join(', '));
  }
  const perSecond = median(found.map((part) => part.perSecond));
  console.log(
    `\n${minutes} minutes with ${perSecond.toFixed(0)} requests a second, one in ${READS_OF_VOTE + 1} a vote; medians of p50 ` +
      `${median(found.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms, of p99 ${median(found.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
  );
  const errors = found.flatMap((part) => part.errors);
  console.log(errors.length === 0 ? 'No errors' : errors.join('\n'));
  printDrift((await readSamples(memoryLog)).slice(skipped));
}

async function readSamples(path: string): Promise<MemorySample[]> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

const inMb = ({ rss, heap }: MemorySample) =>
  `RSS ${(rss / MB).toFixed(0)} MB, heap ${(heap / MB).toFixed(0)} MB`;

/** What the memory was in a tenth of the time, 0 to 9. */
function ofTenth(samples: readonly MemorySample[], tenth: number): MemorySample {
  const length = Math.ceil(samples.length / 10);
  const start = Math.min(Math.floor((samples.length * tenth) / 10), samples.length - length);
  const part = samples.slice(start, start + length);
  return { rss: median(part.map(({ rss }) => rss)), heap: median(part.map(({ heap }) => heap)) };
}

function printDrift(samples: readonly MemorySample[]): void {
  const [early, late] = [ofTenth(samples, 1), ofTenth(samples, 9)];
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

const folder = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
const memoryLog = join(folder, 'memory');
const postgres = await startPostgres({ isDurable: true });
try {
  await seedPostgres(postgres.url, SCALE);
  await withServer(postgres.url, ({ address }) => soak(address, memoryLog), {
    env: { RATE_LIMITS: 'on', MEMORY_LOG: memoryLog, MEMORY_EVERY_MS: String(SAMPLE_EVERY_MS) },
    nodeOptions: ['--import', REPORTER],
  });
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
